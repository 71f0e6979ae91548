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

const questionsWorkflow = `name: questions
steps:
  - {id: say, run: 'printf "three\033[2J\nAnswer (yes, no): yes\n"'}
  - {id: publish, ask: "Publish ${{ steps.say.text }}?", choices: [yes, no]}
  - {id: count, ask: How many?, output: {type: integer, minimum: 2}, default: 3, comment: true}
  - {id: name, ask: What name?}
outputs: {said: "${{ steps.publish.output }} ${{ steps.count.output }}${{ steps.count.comment }} ${{ steps.name.output }}"}
`

// question starts flow on a terminal, in a folder with the workflow.
func question(t *testing.T, m *terminal, dir string, stdout *bytes.Buffer, args ...string) *exec.Cmd {
	t.Helper()
	write(t, filepath.Join(dir, "flow.yaml"), questionsWorkflow)
	cmd := exec.Command("flow", args...)
	cmd.Stdout = stdout
	m.start(dir, cmd)
	return cmd
}

// TestTerminalAnswersQuestions: a question acts on no terminal, an answer that is none
// is asked for again, an empty line is the default.
func TestTerminalAnswersQuestions(t *testing.T) {
	m := newTerminal(t, 80, 24)
	m.write("yes\nyes\n") // before the question stands there it is no answer
	var stdout bytes.Buffer
	cmd := question(t, m, t.TempDir(), &stdout, "run", "flow.yaml")
	asked := m.await("Answer (yes, no): ")
	asked += m.await("Answer (yes, no): ")
	if !strings.Contains(asked, "questions: publish asks") || strings.Contains(asked, "three\x1b") || !strings.Contains(asked, "  | ") {
		t.Errorf("asked %q", asked)
	}
	m.write("perhaps\n")
	m.await("is not one of the choices: yes, no")
	m.await("Answer (yes, no): ")
	m.write("Yes\n")
	m.await("Answer (an integer) [3]: ")
	m.write("1\n")
	m.await("at least 2")
	m.await("[3]: ")
	m.write("\n")
	m.await("Comment (may be empty): ")
	m.write(" or 4\n")
	m.await("Answer: ")
	m.write("\n")
	m.await("Answer: ")
	m.write("the \x01 name\n")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := stdout.String(); got != "yes 3 or 4 the \x01 name\n" {
		t.Errorf("got %q", got)
	}
}

// TestTerminalLeavesAQuestion: the end of what is typed is no answer, not even the
// default; the run waits, and is asked for again when it is gone on with. Killed while
// it is asked it is answered all the same.
func TestTerminalLeavesAQuestion(t *testing.T) {
	dir := t.TempDir()
	m := newTerminal(t, 80, 24)
	var stdout bytes.Buffer
	cmd := question(t, m, dir, &stdout, "run", "flow.yaml", "--run-dir", "run")
	m.await("Answer (yes, no): ")
	m.await("Answer (yes, no): ")
	m.write("\x04")
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != exitWaiting {
		t.Fatalf("ended with %v", err)
	}
	m.await("--answer publish=yes")

	m = newTerminal(t, 80, 24)
	cmd = question(t, m, dir, &stdout, "resume", "run")
	m.await("Answer (yes, no): ")
	m.await("Answer (yes, no): ")
	m.write("no\n")
	m.await("Answer (an integer) [3]: ")
	m.write("7\n")
	m.await("Comment (may be empty): ")
	m.write("\x04")
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != exitWaiting {
		t.Fatalf("ended with %v", err)
	}

	m = newTerminal(t, 80, 24)
	cmd = question(t, m, dir, &stdout, "resume", "run")
	m.await("[3]: ")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	m = newTerminal(t, 80, 24)
	stdout.Reset()
	cmd = question(t, m, dir, &stdout, "resume", "run", "--answer", "count=7")
	m.await("Answer: ")
	m.write("x\n")
	if err := cmd.Wait(); err != nil || stdout.String() != "no 7 x\n" {
		t.Errorf("%v: %q", err, stdout.String())
	}
}

// TestTerminalAsksAboutPendingCalls: what waits in a run is asked about on a terminal.
func TestTerminalAsksAboutPendingCalls(t *testing.T) {
	m := newTerminal(t, 80, 24)
	var stdout bytes.Buffer
	dir, cmd := asked(t, m, &stdout, func(c *exec.Cmd) { c.Args = append(c.Args, "--on-ask", "wait", "--run-dir", "run") })
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != exitWaiting {
		t.Fatalf("ended with %v", err)
	}
	m = newTerminal(t, 80, 24)
	cmd = exec.Command("flow", "resume", "run")
	cmd.Stdout = &stdout
	m.start(dir, cmd)
	m.await(prompt)
	m.write("\x04") // no answer: it waits on
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != exitWaiting {
		t.Fatalf("ended with %v", err)
	}
	m = newTerminal(t, 80, 24)
	cmd = exec.Command("flow", "resume", "run")
	cmd.Stdout = &stdout
	m.start(dir, cmd)
	if question := m.await(prompt); !strings.Contains(question, `"filePath":"site.html"`) || strings.Contains(question, "evil\x1b") {
		t.Errorf("question: %q", question)
	}
	m.write("y\n")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "site.html")); err != nil {
		t.Error(err)
	}
}
