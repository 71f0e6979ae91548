package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// aRecipe is a repository whose branch has a second commit, with a variable more, and a
// caller whose lock has the first one.
func aRecipe(t *testing.T) (caller, reference string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	dir := t.TempDir()
	repository, caller := filepath.Join(dir, "recipe"), filepath.Join(dir, "caller")
	for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		t.Setenv(name, "a@b")
	}
	t.Setenv("FLOW_RECIPES", filepath.Join(dir, "cache"))
	reference = "git+file://" + repository + "@main"
	write(t, filepath.Join(repository, "flow.yaml"), "name: notes\nsteps: [{run: echo first}]\n")
	write(t, filepath.Join(caller, "flow.yaml"), "name: caller\nsteps: [{uses: \""+reference+"\", grant: {commands: true}}]\n")
	run := func(in string, words ...string) {
		t.Helper()
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = in
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
	}
	run(repository, "git", "init", "-q", "-b", "main")
	run(repository, "git", "add", "-A")
	run(repository, "git", "commit", "-qm", "one")
	run(caller, "flow", "lock")
	write(t, filepath.Join(repository, "flow.yaml"), "name: notes\nenv: [TOKEN]\npermissions: {read: {\"**\": allow}}\nsteps: [{tool: read, with: {filePath: flow.yaml}}, {run: \"echo second\\necho third\"}]\n")
	run(repository, "git", "commit", "-qam", "two")
	return caller, reference
}

// TestTerminalUpdate: what widens by an update is shown to a person, who takes it or
// leaves it. What they typed before they saw it is no answer.
func TestTerminalUpdate(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		piped        bool // standard output
		code         int
	}{
		{"y", "y\n", false, 0}, {"n", "n\n", false, exitDenied}, {"nothing", "\n", false, exitDenied},
		{"yes, piped", "yes\n", true, 0}, {"the end, piped", "\x04", true, exitDenied}, {"an interrupt", "\x03", false, exitInterrupted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			caller, _ := aRecipe(t)
			before, err := os.ReadFile(filepath.Join(caller, "flow.lock"))
			if err != nil {
				t.Fatal(err)
			}
			m := newTerminal(t, 200, 40)
			m.write("y\ny\n")
			cmd := exec.Command("flow", "lock", "--update")
			if cmd.Stdout = m.end; tt.piped {
				cmd.Stdout = new(bytes.Buffer)
			}
			m.start(caller, cmd)
			if shown := m.await("The lines marked (may do more) allow more than before. Accept them? [y/N] "); !strings.Contains(shown, "new: environment variable: TOKEN (may do more)") {
				t.Errorf("asked without what it is about: %q", shown)
			}
			m.write(tt.answer)
			checkExit(t, cmd.Wait(), tt.code)
			after, err := os.ReadFile(filepath.Join(caller, "flow.lock"))
			if err != nil || bytes.Equal(before, after) != (tt.code != 0) {
				t.Errorf("the lock changed: %v, %v", !bytes.Equal(before, after), err)
			}
		})
	}
}

// TestTerminalRecipe: a recipe of the command line at a branch is shown to a person as
// what it is now, with what it asks for, before anything of it runs.
func TestTerminalRecipe(t *testing.T) {
	for answer, code := range map[string]int{"y\n": 0, "n\n": exitDenied} {
		caller, reference := aRecipe(t)
		m := newTerminal(t, 200, 40)
		var stdout bytes.Buffer
		cmd := exec.Command("flow", "run", "--quiet", reference)
		cmd.Stdout = &stdout
		m.start(caller, cmd)
		shown := m.await("Run it? [y/N] ")
		for _, want := range []string{reference + " is ", "Now it stands for ", "It needs to run the commands echo second (+1 line) (flow.yaml step-2)", "It needs to read the variables TOKEN", "It needs to use the tools read: allow **, read filePath: flow.yaml (flow.yaml step-1)", "Commands that are cut off here stand in full in "} {
			if !strings.Contains(shown, want) {
				t.Errorf("it is not shown that %q: %q", want, shown)
			}
		}
		m.write(answer)
		checkExit(t, cmd.Wait(), code)
		if ran := strings.Contains(stdout.String(), "second"); ran != (code == 0) {
			t.Errorf("%q: it ran: %v", answer, ran)
		}
	}
}

// checkExit compares how a program ended with an exit code.
func checkExit(t *testing.T, err error, want int) {
	t.Helper()
	got := 0
	if ended := new(exec.ExitError); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("exit code %d, want %d", got, want)
	}
}
