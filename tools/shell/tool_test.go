package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

type allow struct{}

func (allow) Decide(context.Context, string, json.RawMessage) tools.Decision {
	return tools.Decision{Verdict: tools.Allow}
}

func (allow) Offered(string) bool { return true }

func call(t *testing.T, tool tools.Tool, arguments string) tools.Answer {
	t.Helper()
	set, err := tools.NewSet([]tools.Entry{{Tool: tool}}, tools.SetOptions{Guard: allow{}})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := set.Prepare(tool.Spec().Name, json.RawMessage(arguments)).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestBash(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"sub", "other"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"inside": "sub", "outside": "/"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	tool := Bash(BashOptions{Root: root, Env: environment()})
	tests := []struct {
		name, arguments, want string
		status                tools.Status
	}{
		{"prints", `{"command": "echo a; echo b >&2; echo c", "description": ""}`, "a\nb\nc\n", tools.Succeeded},
		{"fails", `{"command": "echo before; exit $((30 + 7))", "description": "Fail"}`, "before\nexit code 37", tools.Failed},
		{"goes on after a command that fails", `{"command": "grep x /dev/null; false | cat; echo on", "description": ""}`, "on\n", tools.Succeeded},
		{"a signal", `{"command": "kill -SEGV $$", "description": ""}`, "ended by SIGSEGV; exit code 139", tools.Failed},
		{"times out", `{"command": "echo a; sleep 60", "description": "", "timeout": 300}`,
			"a\ntimed out after 300ms, and was ended with its process group; ended by SIGTERM; exit code 143", tools.Failed},
		{"the workspace", `{"command": "pwd -P", "description": ""}`, root + "\n", tools.Succeeded},
		{"a folder", `{"command": "pwd -P", "description": "", "workdir": "other/../sub"}`, root + "/sub\n", tools.Succeeded},
		{"an absolute folder", `{"command": "pwd -P", "description": "", "workdir": "` + root + `/other"}`, root + "/other\n", tools.Succeeded},
		{"a link inside", `{"command": "pwd -P", "description": "", "workdir": "inside"}`, root + "/sub\n", tools.Succeeded},
		{"a link outside", `{"command": "pwd", "description": "", "workdir": "outside"}`, `workdir "` + root + `/outside" is outside of the workspace`, tools.Failed},
		{"outside", `{"command": "pwd", "description": "", "workdir": ".."}`, `workdir "` + root + `/.." is outside of the workspace`, tools.Failed},
		{"nowhere", `{"command": "pwd", "description": "", "workdir": "gone"}`, `workdir "` + root + `/gone": there is no such folder`, tools.Failed},
		{"too much time", `{"command": "pwd", "description": "", "timeout": 600001}`,
			"The arguments of bash do not fit; nothing was run:\n- /timeout: got 600001, want at most 600000", tools.Failed},
		{"no command", `{"command": "", "description": ""}`, "The arguments of bash do not fit; nothing was run:\n- /command: got 0 characters, want at least 1", tools.Failed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := call(t, tool, test.arguments)
			if answer.Content != test.want || answer.Status != test.status {
				t.Errorf("got %s %q, want %q", answer.Status, answer.Content, test.want)
			}
		})
	}
}

// TestNoBareRepository has a bare repository, written as files, whose
// configuration names a program that git status would run.
// TestBashBoundsFiles shows that what a command writes is bounded from its first
// word on, also in what it starts, and that lines keep their numbers.
func TestBashBoundsFiles(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: there is no bash")
	}
	tool := Bash(BashOptions{Root: t.TempDir(), Env: environment()})
	answer := call(t, tool, `{"command": "sh -c 'ulimit -c'; ulimit -f; echo line $LINENO\necho line $LINENO", "description": "x"}`)
	if want := fmt.Sprintf("0\n%d\nline 1\nline 2", MaxPrinted>>10); strings.TrimSpace(answer.Content) != want {
		t.Errorf("got %q, want %q", answer.Content, want)
	}
}

func TestNoBareRepository(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git to try it with")
	}
	root := t.TempDir()
	for name, content := range map[string]string{
		"HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": "",
		"config": "[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch " + root + "/ran; false\"\n",
	} {
		path := filepath.Join(root, "docs", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const status = "cd docs && git status 2>&1; test ! -e ../ran && echo safe"
	custom := Custom(CustomOptions{
		Spec: tools.Spec{Name: "status", Parameters: json.RawMessage(`{"type": "object"}`)}, Dir: root, Env: environment(),
		Render: func(map[string]any) (Command, error) {
			return Command{Args: []string{"bash", "-c", status}}, nil
		},
	})
	for _, answer := range []tools.Answer{
		call(t, Bash(BashOptions{Root: root, Env: environment()}), `{"command": "`+status+`", "description": ""}`),
		call(t, custom, `{}`),
	} {
		if !strings.HasSuffix(answer.Content, "safe\n") || !strings.Contains(answer.Content, "safe.bareRepository") {
			t.Errorf("got %q", answer.Content)
		}
	}
}

func TestBashEffects(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	read := func(command, dir string) (permission.Reading, error) {
		return permission.Reading{ReadOnly: command == "ls" && dir == root}, nil
	}
	tests := []struct {
		options   BashOptions
		arguments string
		want      string
	}{
		{BashOptions{Root: root}, `{"command": "ls"}`, "{[] [] true}"},
		{BashOptions{Root: root, Read: read}, `{"command": "ls"}`, "{[" + root + " " + root + "] [] false}"},
		{BashOptions{Root: root, Read: read}, `{"command": "rm"}`, "{[] [] true}"},
		{BashOptions{Root: root, Read: read}, `{"command": "ls", "workdir": "gone"}`, "{[] [] true}"},
		{BashOptions{Root: root, Read: read}, `[]`, "{[] [] true}"},
	}
	for _, test := range tests {
		if got := fmt.Sprint(Bash(test.options).Effects(json.RawMessage(test.arguments))); got != test.want {
			t.Errorf("%s: got %s, want %s", test.arguments, got, test.want)
		}
	}
}

func words(render func(map[string]any) (Command, error)) CustomOptions {
	return CustomOptions{
		Spec:   tools.Spec{Name: "show", Parameters: json.RawMessage(`{"type": "object", "properties": {"word": {}}, "required": ["word"]}`)},
		Render: render,
		Env:    append(environment(), "BASE=1"),
	}
}

func TestCustom(t *testing.T) {
	dir := t.TempDir()
	printf := func(a map[string]any) (Command, error) {
		return Command{Args: []string{"printf", "<%s>", fmt.Sprintf("%T %v", a["word"], a["word"])}}, nil
	}
	inScript := func(a map[string]any) (Command, error) {
		return Command{Script: `pwd; echo "${#WORD} $(head -c 4 <<<"$WORD") $BASE"; exit 3`, Values: []Variable{{"WORD", fmt.Sprint(a["word"])}}}, nil
	}
	refuses := func(map[string]any) (Command, error) { return Command{}, errors.New("no such word") }
	long := strings.Repeat("x", 200<<10)
	tests := []struct {
		name, arguments, want string
		render                func(map[string]any) (Command, error)
		status                tools.Status
	}{
		{"a word", `{"word": "$(touch pwned)  -n"}`, "<string $(touch pwned)  -n>", printf, tools.Succeeded},
		{"an integer", `{"word": 7}`, "<int 7>", printf, tools.Succeeded},
		{"a float", `{"word": 7.5}`, "<float64 7.5>", printf, tools.Succeeded},
		{"a huge integer", `{"word": 12345678901234567890123}`, "<json.Number 12345678901234567890123>", printf, tools.Succeeded},
		{"a list", `{"word": [1, {"a": 2}]}`, "<[]interface {} [1 map[a:2]]>", printf, tools.Succeeded},
		{"a script", `{"word": "x; y"}`, dir + "\n4 x; y 1\nexit code 3", inScript, tools.Failed},
		{"a long value of a script", `{"word": "` + long + `"}`, dir + "\n204800 xxxx 1\nexit code 3", inScript, tools.Failed},
		{"a long word", `{"word": "` + long + `"}`, `command "printf": argument list too long`, printf, tools.Failed},
		{"what can't be rendered", `{"word": ""}`, "no such word", refuses, tools.Failed},
		{"a word that is missing", `{}`, "The arguments of show do not fit; nothing was run:\n- \"word\" is missing", printf, tools.Failed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			options := words(test.render)
			options.Dir = dir
			answer := call(t, Custom(options), test.arguments)
			if answer.Content != test.want || answer.Status != test.status {
				t.Errorf("got %s %q, want %q", answer.Status, answer.Content, test.want)
			}
		})
	}
}

func TestCustomEffects(t *testing.T) {
	o := words(nil)
	if got := Custom(o).Effects(nil); !got.All {
		t.Errorf("got %+v", got)
	}
	if got := Custom(o).Spec().Keep; got != tools.KeepBoth {
		t.Errorf("keeps %q", got)
	}
}

func TestToolCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	root := t.TempDir()
	set, err := tools.NewSet([]tools.Entry{{Tool: Bash(BashOptions{Root: root, Env: environment()})}}, tools.SetOptions{Guard: allow{}})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for _, err := os.Stat(root + "/begun"); err != nil; _, err = os.Stat(root + "/begun") {
			time.Sleep(5 * time.Millisecond)
		}
		cancel(errors.New("the step's time is up"))
	}()
	answer, err := set.Prepare("bash", json.RawMessage(`{"command": "echo a; touch begun; sleep 60", "description": ""}`)).Run(ctx)
	if err != nil || answer.Status != tools.Cancelled || !strings.HasPrefix(answer.Content, "a\nCancelled: the step's time is up") {
		t.Errorf("got %+v, %v", answer, err)
	}
}
