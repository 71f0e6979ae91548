package steps

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/tools"
)

// environment is what the commands of the tests see.
func environment() []string { return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"} }

func TestCommand(t *testing.T) {
	code := func(n int) *int { return &n }
	tests := []struct {
		name   string
		source string
		output Output
		want   Result // without what is not told below
		kind   Kind
		told   string
	}{
		{name: "text", source: `printf 'one two\n\n'`, want: Result{Status: Succeeded, StopReason: ReasonCompleted, Text: "one two\n", Output: "one two\n", Stdout: "one two\n\n", ExitCode: code(0)}},
		{name: "both streams", source: `echo out; echo err >&2`, want: Result{Status: Succeeded, StopReason: ReasonCompleted, Text: "out", Output: "out", Stdout: "out\n", Stderr: "err\n", ExitCode: code(0)}},
		{name: "lines", source: `printf 'a\nb\n'`, output: Output{Kind: OutputLines}, want: Result{Status: Succeeded, StopReason: ReasonCompleted, Text: "a\nb", Output: []any{"a", "b"}, Stdout: "a\nb\n", ExitCode: code(0)}},
		{name: "json", source: `echo '{"n":41}'`, output: Output{Kind: OutputJSON}, want: Result{Status: Succeeded, StopReason: ReasonCompleted, Text: `{"n":41}`, Output: map[string]any{"n": 41}, Stdout: "{\"n\":41}\n", ExitCode: code(0)}},
		{name: "schema", source: `echo '{"score":4}'`, output: schema(t, scoreSchema), want: Result{Status: Succeeded, StopReason: ReasonCompleted, Text: `{"score":4}`, Output: map[string]any{"score": 4}, Stdout: "{\"score\":4}\n", ExitCode: code(0)}},
		{name: "misfit", source: `echo '{"score":9}'`, output: schema(t, scoreSchema), want: Result{Status: Failed, StopReason: ReasonInvalidOutput, Text: `{"score":9}`, Stdout: "{\"score\":9}\n", ExitCode: code(0)}, kind: KindInvalidOutput, told: "/score"},
		{name: "no JSON", source: `echo hi`, output: Output{Kind: OutputJSON}, want: Result{Status: Failed, StopReason: ReasonInvalidOutput, Text: "hi", Stdout: "hi\n", ExitCode: code(0)}, kind: KindInvalidOutput, told: "not JSON"},
		{name: "exit code", source: `echo compiling; echo note >&2; echo 'boom: no such header' >&2; exit 3`, want: Result{Status: Failed, StopReason: ReasonError, Text: "compiling", Stdout: "compiling\n", Stderr: "note\nboom: no such header\n", ExitCode: code(3)}, kind: KindCommand, told: "exit status 3\nnote\nboom: no such header"},
		{name: "the first failure ends it", source: "false\necho on", want: Result{Status: Failed, StopReason: ReasonError, ExitCode: code(1)}, kind: KindCommand, told: "exit status 1"},
		{name: "pipefail", source: "false | cat", want: Result{Status: Failed, StopReason: ReasonError, ExitCode: code(1)}, kind: KindCommand, told: "exit status 1"},
		{name: "a signal", source: "kill -9 $$", want: Result{Status: Failed, StopReason: ReasonError, ExitCode: code(137)}, kind: KindCommand, told: "ended by SIGKILL"},
		{name: "no standard input", source: "cat", want: Result{Status: Succeeded, StopReason: ReasonCompleted, Output: "", ExitCode: code(0)}},
		{name: "nothing of the environment", source: "echo ${HOME-none}", want: Result{Status: Succeeded, StopReason: ReasonCompleted, Text: "none", Output: "none", Stdout: "none\n", ExitCode: code(0)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("HOME", "/somewhere")
			c := Command{Source: tt.source, Dir: t.TempDir(), Env: environment(), Output: tt.output}
			got := c.Run(t.Context())
			checkError(t, got, tt.kind)
			if tt.told != "" && !strings.Contains(got.Error.Message, tt.told) {
				t.Errorf("error %q, want one with %q", got.Error.Message, tt.told)
			}
			got.Error = nil
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A value is one word and never code, in whatever way it reaches the shell.
func TestCommandValues(t *testing.T) {
	nasty := "it's \"big\" $(touch pwned) `touch pwned`; touch pwned\n$HOME \\ * \xff\n\n"
	full := strings.Repeat("x", 100<<10) // what one variable of the environment takes
	tests := []struct {
		name  string
		value string
	}{
		{"empty", ""},
		{"short", nasty},
		{"as long as the environment takes", full},
		{"longer", full + nasty},
		{"much longer", strings.Repeat(nasty, 50_000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", t.TempDir())
			c := Command{
				Source: `printf '%s' "$FLOW_1" > "$FLOW_2"`, Dir: dir, Env: environment(),
				Values: []Variable{{Name: "FLOW_1", Value: tt.value}, {Name: "FLOW_2", Value: "out"}},
			}
			if r := c.Run(t.Context()); r.Status != Succeeded {
				t.Fatalf("%s: %v", r.Status, r.Error)
			}
			got, err := os.ReadFile(filepath.Join(dir, "out"))
			if err != nil || string(got) != tt.value {
				t.Errorf("%d bytes came of %d: %v", len(got), len(tt.value), err)
			}
			if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
				t.Error("the value was run")
			}
			if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
				t.Errorf("%d files are left", len(left))
			}
		})
	}
}

// Together, too, values may be too long for the environment.
func TestCommandManyValues(t *testing.T) {
	c := Command{Source: "echo ${#A}", Dir: t.TempDir(), Env: environment()}
	for i := range 100 {
		c.Values = append(c.Values, Variable{Name: "V" + strconv.Itoa(i), Value: strings.Repeat("x", 90<<10)})
	}
	c.Values = append(c.Values, Variable{Name: "A", Value: "abc"})
	if r := c.Run(t.Context()); r.Text != "3" {
		t.Errorf("%q: %v", r.Text, r.Error)
	}
}

func TestCommandLongSource(t *testing.T) {
	c := Command{Source: "# " + strings.Repeat("x", 200<<10) + "\necho done; exit 4", Dir: t.TempDir(), Env: environment()}
	if r := c.Run(t.Context()); r.Text != "done" || *r.ExitCode != 4 {
		t.Errorf("%q: %v", r.Text, r.Error)
	}
}

func TestCommandThatCannotStart(t *testing.T) {
	tests := []struct {
		name    string
		command Command
		told    string
	}{
		{"NUL", Command{Source: "true", Values: []Variable{{Name: "A", Value: "a\x00b"}}}, "value 1 of the script: a NUL byte"},
		{"no such folder", Command{Source: "true", Dir: "/no/such/folder"}, "/no/such/folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.command.Env = environment()
			r := tt.command.Run(t.Context())
			checkError(t, r, KindCommand)
			if r.Status != Failed || !strings.Contains(r.Error.Message, tt.told) {
				t.Errorf("%s: %v", r.Status, r.Error)
			}
		})
	}
}

// A closer makes a buffer a file.
type closer struct{ bytes.Buffer }

func (*closer) Close() error { return nil }

func TestCommandOutputIsTruncatedAndKept(t *testing.T) {
	var mu sync.Mutex
	kept := map[string]*closer{}
	c := Command{
		Source: "seq 4999; echo token-1234; echo token-1234 >&2; seq 3000 >&2", Dir: t.TempDir(), Env: environment(),
		Mask: tools.NewMask([]string{"token-1234"}),
		Spill: func(stream string) (io.WriteCloser, string, error) {
			mu.Lock()
			defer mu.Unlock()
			kept[stream] = new(closer)
			return kept[stream], "outputs/" + stream, nil
		},
	}
	r := c.Run(t.Context())
	if r.Truncated != 2 || strings.Count(r.Text, "\n") != 4999 || r.Output != r.Text || !strings.HasSuffix(r.Text, "\n4999\ntoken-1234") {
		t.Errorf("%d truncated, %.100q … %.100q", r.Truncated, r.Text, r.Text[max(0, len(r.Text)-20):])
	}
	shown := r.Cut.Shown
	if r.Cut.Path != "outputs/stdout" || !strings.Contains(shown, "outputs/stdout") || !strings.HasPrefix(shown, "1\n") || !strings.HasSuffix(shown, "\n4999\ntoken-1234") || len(shown) > 60<<10 {
		t.Errorf("%s: %.100q … %.100q", r.Cut.Path, shown, shown[max(0, len(shown)-20):])
	}
	if n := strings.Count(kept["stdout"].String(), "\n"); n != 5000 {
		t.Errorf("%d lines are kept", n)
	}
	if !strings.HasPrefix(r.Stderr, "token-1234\n") {
		t.Errorf("a value was changed: %.100q", r.Stderr)
	}
	if s := kept["stdout"].String() + kept["stderr"].String(); strings.Contains(s, "token-1234") || strings.Count(s, "***") != 2 {
		t.Error("a secret is in the files")
	}
	if r.Lost != 0 {
		t.Errorf("%d lost", r.Lost)
	}
}

// What a full disk did not take is counted, and what is kept nowhere.
func TestCommandOutputIsLost(t *testing.T) {
	full := func(string) (io.WriteCloser, string, error) { return nil, "", syscall.ENOSPC }
	for name, spill := range map[string]func(string) (io.WriteCloser, string, error){"no file": nil, "full": full} {
		t.Run(name, func(t *testing.T) {
			c := Command{Source: "seq 5000; seq 5000 >&2", Dir: t.TempDir(), Env: environment(), Spill: spill}
			if r := c.Run(t.Context()); r.Status != Succeeded || r.Truncated != 2 || r.Lost != 2 {
				t.Errorf("%s, %d truncated, %d lost", r.Status, r.Truncated, r.Lost)
			}
		})
	}
}

// A value that was printed reaches the next step as it is, in every form.
func TestCommandOutputIsReal(t *testing.T) {
	for _, kind := range []OutputKind{OutputText, OutputLines, OutputJSON} {
		c := Command{Source: `echo '"token-1234"'`, Dir: t.TempDir(), Env: environment(), Output: Output{Kind: kind}, Mask: tools.NewMask([]string{"token-1234"})}
		if r := c.Run(t.Context()); r.Text != `"token-1234"` || !strings.Contains(fmt.Sprint(r.Output), "token-1234") {
			t.Errorf("%s: text %q, output %v", kind, r.Text, r.Output)
		}
	}
}

// Lines are of the whole, however little of it is shown: nothing is told to be truncated.
func TestCommandReadsTheWhole(t *testing.T) {
	c := Command{Source: "seq 50000", Dir: t.TempDir(), Env: environment(), Output: Output{Kind: OutputLines}}
	r := c.Run(t.Context())
	if list, _ := r.Output.([]any); len(list) != 50000 || list[49999] != "50000" || r.Truncated != 0 {
		t.Errorf("%d lines: %v", len(list), r.Error)
	}
	c.Source = "head -c 70000000 /dev/zero"
	r = c.Run(t.Context())
	checkError(t, r, KindLimit)
	if r.StopReason != ReasonOutputLimit || !strings.Contains(r.Error.Message, "64 MiB") {
		t.Errorf("%s: %v", r.StopReason, r.Error)
	}
}

func TestCommandIsInterrupted(t *testing.T) {
	tests := []struct {
		name   string
		cause  error
		status Status
		reason Reason
		kind   Kind
	}{
		{"timeout", &Error{Kind: KindTimeout, Message: "timeout after 1s"}, Stopped, ReasonTimeout, KindTimeout},
		{"interrupt", context.Canceled, Cancelled, ReasonCancelled, KindCancelled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			ctx, cancel := context.WithCancelCause(t.Context())
			spilled := func(string) (io.WriteCloser, string, error) { // called once enough was printed
				cancel(tt.cause)
				return new(closer), "x", nil
			}
			c := Command{Source: "echo $$ > pid; echo begun; seq 3000; sleep 100000", Dir: dir, Env: environment(), Spill: spilled}
			r := c.Run(ctx)
			if r.Status != tt.status || r.StopReason != tt.reason || r.Partial != (tt.status == Stopped) || !strings.HasPrefix(r.Stdout, "begun\n") {
				t.Errorf("%s, %s, %.20q", r.Status, r.StopReason, r.Stdout)
			}
			checkError(t, r, tt.kind)
			checkGone(t, filepath.Join(dir, "pid"))
		})
	}
}

// A pipe that is not read to its end fails at some times and not at others: the hint says why.
func TestBrokenPipeHasAHint(t *testing.T) {
	for source, want := range map[string]bool{"yes | head -1": true, "exit 1": false} {
		r := (&Command{Source: source, Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}}).Run(t.Context())
		if r.Error == nil || strings.Contains(r.Error.Hint, "pipefail") != want {
			t.Errorf("%s: %+v", source, r.Error)
		}
	}
}

func checkGone(t *testing.T, pidFile string) {
	t.Helper()
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Errorf("process %d is still there", pid)
	}
}

func TestFailureTellsTheLastLines(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"standard error first", "echo out; echo err >&2; exit 1", "exit status 1: err"},
		{"indented lines", `printf '\n M a\n?? b\n'; exit 1`, "exit status 1\n M a\n?? b"},
		{"standard output else", "echo a; echo b; exit 1", "exit status 1\na\nb"},
		{"no words", "exit 1", "exit status 1"},
		{"the last ten", "seq 1 30; exit 1", "exit status 1\n21\n22\n23\n24\n25\n26\n27\n28\n29\n30"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := (&Command{Source: test.source, Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}}).Run(t.Context())
			if r.Error == nil || r.Error.Message != test.want {
				t.Errorf("got %v, want %q", r.Error, test.want)
			}
		})
	}
}
