package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func environment() []string { return Environment(nil, os.LookupEnv) }

func script(t *testing.T, text string) (Command, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	return Command{Script: text, Dir: t.TempDir(), Env: environment(), Stdout: &out, Stderr: &out, Timeout: 20 * time.Second}, &out
}

func TestRun(t *testing.T) {
	tests := []struct {
		name   string
		script string
		out    string
		code   int
		signal string
	}{
		{name: "prints", script: "echo out; echo err >&2; echo out", out: "out\nerr\nout\n"},
		{name: "an exit code", script: "echo before; exit $((30 + 7))", out: "before\n", code: 37},
		{name: "the first error ends it", script: "echo a; false; echo b", out: "a\n", code: 1},
		{name: "an error in a pipe", script: "false | cat; echo b", code: 1},
		{name: "a signal", script: "echo a; kill -KILL $$", out: "a\n", code: 137, signal: "SIGKILL"},
		{name: "no standard input", script: "cat; echo end", out: "end\n"},
		{name: "a syntax error", script: "echo a; (", out: "bash: -c: line 2: syntax error: unexpected end of file\n", code: 2},
		{name: "bash", script: `[[ a == a ]] && echo "${BASH_VERSION:+bash}"`, out: "bash\n"},
		{name: "the rest of a pipe", script: "exec > >(sed s/a/b/); echo a", out: "b\n"},
		{name: "its own group", script: `[ "$(ps -o pgid= -p $$ | tr -d ' ')" = $$ ] && echo leader`, out: "leader\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := os.Stat("/bin/ps"); err != nil && strings.Contains(test.script, "ps -o") {
				t.Skip("there is no ps")
			}
			command, out := script(t, test.script)
			exit, err := Run(t.Context(), command)
			if err != nil || exit.Code != test.code || exit.Signal != test.signal || exit.TimedOut {
				t.Errorf("got %+v, %v", exit, err)
			}
			if !strings.HasPrefix(out.String(), strings.TrimSuffix(test.out, "line 2: syntax error: unexpected end of file\n")) {
				t.Errorf("got %q, want %q", out.String(), test.out)
			}
		})
	}
}

func TestRunArguments(t *testing.T) {
	var out bytes.Buffer
	words := []string{"--version", "$(touch pwned)", "a; touch pwned", "two  words", "-n", "", "*", "'", "\n"}
	exit, err := Run(t.Context(), Command{Args: append([]string{"printf", "<%s>"}, words...), Dir: t.TempDir(), Env: environment(), Stdout: &out})
	if want := "<" + strings.Join(words, "><") + ">"; err != nil || exit.Code != 0 || out.String() != want {
		t.Errorf("got %q, %+v, %v", out.String(), exit, err)
	}
}

func TestRunStreams(t *testing.T) {
	var stdout, stderr bytes.Buffer
	command, _ := script(t, "echo out; echo err >&2")
	command.Stdout, command.Stderr = &stdout, &stderr
	if _, err := Run(t.Context(), command); err != nil || stdout.String() != "out\n" || stderr.String() != "err\n" {
		t.Errorf("got %q, %q, %v", stdout.String(), stderr.String(), err)
	}
	command.Stdout, command.Stderr = nil, nil
	if exit, err := Run(t.Context(), command); err != nil || exit.Code != 0 {
		t.Errorf("got %+v, %v", exit, err)
	}
}

func TestRunEnvironment(t *testing.T) {
	t.Setenv("NOT_NAMED", "x")
	var out bytes.Buffer
	command := Command{Script: `echo "${A-unset} ${NOT_NAMED-unset} ${PATH:+path}"`, Env: []string{"A=1", "PATH=" + os.Getenv("PATH")}, Stdout: &out}
	if _, err := Run(t.Context(), command); err != nil || out.String() != "1 unset path\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	out.Reset()
	if _, err := Run(t.Context(), Command{Script: `echo "${NOT_NAMED-unset}"`, Stdout: &out}); err != nil || out.String() != "unset\n" {
		t.Errorf("no environment: got %q, %v", out.String(), err)
	}
}

func TestRunStartErrors(t *testing.T) {
	tests := []struct {
		name    string
		command Command
		want    string
	}{
		{"no such program", Command{Args: []string{"frobnicate-x", "a"}}, `command "frobnicate-x": executable file not found in $PATH`},
		{"no such folder", Command{Args: []string{"true"}, Dir: "/nowhere"}, `command: "/nowhere" is no folder to run in`},
		{"a NUL", Command{Args: []string{"echo", "a\x00b"}}, `command "echo": `},
		{"too long", Command{Args: []string{"true", strings.Repeat("#", 4<<20)}}, `command "true": argument list too long`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Run(t.Context(), test.command); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestRunTimesOut(t *testing.T) {
	tests := []struct{ name, script string }{
		{"a child", "sleep 60 & echo $! > child; wait"},
		{"a child of a child", "bash -c 'sleep 60 & echo $! > child; wait' & wait"},
		{"a command in front", "bash -c 'echo $$ > child; sleep 60'"},
		{"a pipe", "sleep 60 | (echo $BASHPID > child; cat)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			command, _ := script(t, test.script)
			command.Timeout = 500 * time.Millisecond
			exit, err := Run(t.Context(), command)
			if err != nil || !exit.TimedOut || exit.Signal != "SIGTERM" || exit.Duration > 10*time.Second {
				t.Errorf("got %+v, %v", exit, err)
			}
			gone(t, filepath.Join(command.Dir, "child"))
		})
	}
}

// gone checks that the process whose id is in a file has ended.
func gone(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Second); alive(pid); {
		if time.Now().After(end) {
			t.Errorf("process %d is still there", pid)
			return
		}
		runtime.Gosched()
	}
}

// alive reports whether a process runs. One that ended and that nobody waited
// for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestRunDeafCommand(t *testing.T) {
	command, out := script(t, "trap '' TERM; echo $$ > child; echo deaf; while :; do sleep 60; done")
	command.Timeout = 500 * time.Millisecond
	exit, err := Run(t.Context(), command)
	if err != nil || !exit.TimedOut || exit.Signal != "SIGKILL" || exit.Code != 137 || out.String() != "deaf\n" {
		t.Errorf("got %+v, %v, %q", exit, err, out)
	}
	gone(t, filepath.Join(command.Dir, "child"))
}

func TestRunCleansUpAtTerm(t *testing.T) {
	command, out := script(t, "trap 'echo cleaned; exit 3' TERM; echo started; sleep 60 & wait")
	command.Timeout = 500 * time.Millisecond
	exit, err := Run(t.Context(), command)
	if err != nil || !exit.TimedOut || exit.Code != 3 || out.String() != "started\ncleaned\n" {
		t.Errorf("got %+v, %v, %q", exit, err, out)
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the user pressed a key")
	command, _ := script(t, "echo $$ > child; echo ready; sleep 60")
	command.Stdout = writerFunc(func(p []byte) (int, error) {
		cancel(cause)
		return len(p), nil
	})
	exit, err := Run(ctx, command)
	if !errors.Is(err, cause) || exit.Signal != "SIGTERM" || exit.TimedOut {
		t.Errorf("got %+v, %v", exit, err)
	}
	gone(t, filepath.Join(command.Dir, "child"))
	if _, err := Run(ctx, command); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestRunLeavesNothingBehind runs commands whose children hold the pipe, or do
// not, when the command has ended.
func TestRunLeavesNothingBehind(t *testing.T) {
	for _, text := range []string{"sleep 60 & echo $! > child", "sleep 60 >/dev/null 2>&1 & echo $! > child"} {
		command, _ := script(t, text)
		exit, err := Run(t.Context(), command)
		if err != nil || exit.Code != 0 || exit.Duration > 10*time.Second {
			t.Errorf("%s: got %+v, %v", text, exit, err)
		}
		gone(t, filepath.Join(command.Dir, "child"))
	}
}

// TestRunDoesNotHang runs a child that leaves the group and holds the pipe.
func TestRunDoesNotHang(t *testing.T) {
	command, out := script(t, "echo before; setsid sleep 15 & sleep 0.2")
	if _, err := os.Stat("/usr/bin/setsid"); err != nil {
		t.Skip("there is no setsid")
	}
	exit, err := Run(t.Context(), command)
	if err != nil || exit.Duration > 10*time.Second || out.String() != "before\n" {
		t.Errorf("got %+v, %v, %q", exit, err, out)
	}
}

func TestRunWriteError(t *testing.T) {
	full := errors.New("no space left on device")
	command, _ := script(t, "yes")
	command.Stdout = writerFunc(func([]byte) (int, error) { return 0, full })
	exit, err := Run(t.Context(), command)
	if !errors.Is(err, full) || exit.TimedOut {
		t.Errorf("got %+v, %v", exit, err)
	}
}

// What a command printed before it ended is passed on, however slow that is.
func TestRunSlowReader(t *testing.T) {
	command, out := script(t, "echo a; sleep 0.1; echo b")
	slow := &slowWriter{to: out}
	command.Stdout, command.Stderr = slow, slow
	if exit, err := Run(t.Context(), command); err != nil || exit.Code != 0 || out.String() != "a\nb\n" {
		t.Errorf("got %q, %+v, %v", out, exit, err)
	}
}

// A slowWriter takes longer for the first piece than what a command leaves behind may print.
type slowWriter struct {
	to   io.Writer
	once sync.Once
}

func (w *slowWriter) Write(p []byte) (int, error) {
	w.once.Do(func() { time.Sleep(lateOutput + 200*time.Millisecond) })
	return w.to.Write(p)
}

func TestRunPrintsMuch(t *testing.T) {
	var n counter
	command, _ := script(t, "yes | head -c 100000000")
	command.Stdout = &n
	if exit, err := Run(t.Context(), command); err != nil || int64(n) != 100_000_000 {
		t.Errorf("got %d bytes, %+v, %v", n, exit, err)
	}
}

// TestRunPrintsTooMuch has commands that print without end, one of them to both
// pipes, one that is deaf to a broken one.
func TestRunPrintsTooMuch(t *testing.T) {
	const most = 10 << 20
	for _, text := range []string{"yes", "yes & yes >&2 & wait", "yes | cat", "trap '' PIPE; while :; do echo " + strings.Repeat("y", 10_000) + " 2>/dev/null; done"} {
		var out, errs counter
		command, _ := script(t, text)
		command.Stdout, command.Stderr, command.most = &out, &errs, most
		exit, err := Run(t.Context(), command)
		if !errors.Is(err, ErrPrintsTooMuch) || exit.TimedOut || out+errs > most || out+errs < most/2 {
			t.Errorf("%s: got %d and %d bytes, %+v, %v", text, out, errs, exit, err)
		}
	}
	if want := "it was ended, because it printed more than 8 GiB"; ErrPrintsTooMuch.Error() != want {
		t.Errorf("got %q", ErrPrintsTooMuch)
	}
	if got := (Command{}).maxPrinted(); got != MaxPrinted {
		t.Errorf("the bound is %d", got)
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func TestRunWithoutBash(t *testing.T) {
	sh, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	bin := t.TempDir()
	if err := os.Symlink(sh, filepath.Join(bin, "sh")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	command, out := script(t, "echo a; test 1 = 2; echo b")
	if exit, err := Run(t.Context(), command); err != nil || exit.Code != 1 || out.String() != "a\n" {
		t.Errorf("got %+v, %v, %q", exit, err, out)
	}
}

func TestRunLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		command, _ := script(t, "sleep 60 & echo x")
		if _, err := Run(t.Context(), command); err != nil {
			t.Fatal(err)
		}
	}
	if after := runtime.NumGoroutine(); after > before+2 {
		t.Errorf("%d goroutines became %d", before, after)
	}
}

func TestEnvironment(t *testing.T) {
	all := map[string]string{"PATH": "/bin", "HOME": "/home/a", "SECRET": "x", "B": "", "A": "1", "LC_ALL": "C"}
	got := Environment([]string{"B", "A", "MISSING", "PATH"}, func(name string) (string, bool) {
		v, ok := all[name]
		return v, ok
	})
	if want := "[A=1 B= HOME=/home/a PATH=/bin LANG=C.UTF-8 LC_ALL=C.UTF-8 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.quotePath GIT_CONFIG_VALUE_0=false]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	got = Environment([]string{"LC_ALL"}, func(name string) (string, bool) { v, ok := all[name]; return v, ok })
	if want := "[HOME=/home/a LC_ALL=C PATH=/bin GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.quotePath GIT_CONFIG_VALUE_0=false]"; fmt.Sprint(got) != want {
		t.Errorf("got %v where the locale is named, want %s", got, want)
	}
}
