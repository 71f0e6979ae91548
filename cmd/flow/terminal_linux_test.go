package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/session"
	"golang.org/x/sys/unix"
)

// A terminal is what a person sees and types on: the other end is a program's.
type terminal struct {
	*os.File
	t    *testing.T
	end  *os.File
	seen bytes.Buffer
}

func newTerminal(t *testing.T, columns, rows uint16) *terminal {
	t.Helper()
	file, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("NO TERMINAL TESTS RAN: %v", err)
	}
	t.Cleanup(func() { file.Close() })
	raw, err := file.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number int
	var failed error
	raw.Control(func(fd uintptr) {
		failed = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		if failed == nil {
			number, failed = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
		if failed == nil {
			failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
		}
	})
	if failed != nil {
		t.Fatal(failed)
	}
	end, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end.Close() })
	return &terminal{File: file, t: t, end: end}
}

// start starts flow with the terminal as its own, and what is left nil of its
// streams on it.
func (m *terminal) start(dir string, cmd *exec.Cmd) {
	m.t.Helper()
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CI=", "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	cmd.ExtraFiles = []*os.File{m.end}
	if cmd.Stderr == nil {
		cmd.Stderr = m.end
	}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { cmd.Process.Kill() })
}

// await reads until the text is seen, and forgets what it has read.
func (m *terminal) await(text string) string {
	m.t.Helper()
	m.SetReadDeadline(time.Now().Add(patience))
	for !strings.Contains(m.seen.String(), text) {
		b := make([]byte, 4096)
		n, err := m.Read(b)
		m.seen.Write(b[:n])
		if err != nil {
			m.t.Fatalf("%v before %q is seen, in %q", err, text, m.seen.String())
		}
	}
	before, after, _ := strings.Cut(m.seen.String(), text)
	m.seen.Reset()
	m.seen.WriteString(after)
	return before
}

func (m *terminal) write(text string) {
	m.t.Helper()
	if _, err := m.WriteString(text); err != nil {
		m.t.Fatal(err)
	}
}

const askingWorkflow = `name: ask
model: script/ask.script.yaml
tools: [write]
permissions: {write: ask}
steps:
  - id: publish
    foreach: [site]
    prompt: Publish the site.
outputs:
  said: ${{ steps.publish.results[0].text }}
`

const askingScript = `steps:
  "*":
    - calls: [{name: write, arguments: {filePath: site.html, content: "evil\e[2J"}}]
    - text: "told: ${{ results[0].content }}"
`

// asked starts a workflow that asks whether it may write site.html.
func asked(t *testing.T, m *terminal, stdout *bytes.Buffer, change func(*exec.Cmd)) (dir string, cmd *exec.Cmd) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "flow.yaml"), askingWorkflow)
	write(t, filepath.Join(dir, "ask.script.yaml"), askingScript)
	cmd = exec.Command("flow", "run", "flow.yaml")
	cmd.Stdout = stdout
	if change != nil {
		change(cmd)
	}
	m.start(dir, cmd)
	return dir, cmd
}

const (
	prompt       = "Allow it? [y]es, [a]ll calls for this rule in this step, [N]o: "
	reasonPrompt = "Reason, for the model (may be empty): "
)

// TestTerminalIsAsked: on a terminal somebody is asked, sees the call with
// nothing hidden in it, and who makes it. What they typed before is no answer.
func TestTerminalIsAsked(t *testing.T) {
	m := newTerminal(t, 80, 24)
	m.write("n\nn\n")
	var stdout bytes.Buffer
	dir, cmd := asked(t, m, &stdout, nil)
	question := m.await(prompt)
	if !strings.Contains(question, "ask: publish[0] wants to call") || !strings.Contains(question, `"filePath":"site.html"`) {
		t.Errorf("question: %q", question)
	}
	if strings.Contains(question, "evil\x1b") {
		t.Errorf("the question acts on the terminal: %q", question)
	}
	m.write("y\n")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "site.html")); err != nil {
		t.Error(err)
	}
}

// TestTerminalAnswers: anything but yes is no.
func TestTerminalAnswers(t *testing.T) {
	tests := []struct {
		name    string
		answers []string
		yes     bool
	}{
		{"no", []string{"n\n", "\n"}, false},
		{"no, and why", []string{"n\n", "use another name\n"}, false},
		{"no, and the end of what is typed", []string{"n\n", "\x04"}, false},
		{"nothing", []string{"\n", "\n"}, false},
		{"the end of what is typed", []string{"\x04"}, false},
		{"yes, in other letters", []string{" YES \n"}, true},
		{"neither", []string{"maybe\n", "\n"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newTerminal(t, 80, 24)
			var stdout bytes.Buffer
			dir, cmd := asked(t, m, &stdout, nil)
			for i, answer := range tt.answers {
				m.await([]string{prompt, reasonPrompt}[i])
				m.write(answer)
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			_, err := os.Stat(filepath.Join(dir, "site.html"))
			if written := err == nil; written != tt.yes {
				t.Errorf("written: %v", written)
			}
			if told := strings.Contains(stdout.String(), "the person at the terminal denied the call"); told == tt.yes {
				t.Errorf("told: %q", stdout.String())
			}
			if why := tt.answers[len(tt.answers)-1]; strings.Contains(why, "name") && !strings.Contains(stdout.String(), "denied the call: use another name") {
				t.Errorf("the model is not told why: %q", stdout.String())
			}
			journals, err := filepath.Glob(filepath.Join(dir, ".flow/runs/*/journal.jsonl"))
			if err != nil || len(journals) != 1 {
				t.Fatal(journals, err)
			}
			if data, err := os.ReadFile(journals[0]); err != nil || strings.Contains(string(data), session.Denied) == tt.yes {
				t.Errorf("the journal: %v", err)
			}
		})
	}
}

// TestTerminalIsAskedAside: neither a file as standard error nor a terminal that
// can do little keeps a person from being asked.
func TestTerminalIsAskedAside(t *testing.T) {
	for name, change := range map[string]func(*exec.Cmd){
		"standard error is a file": func(c *exec.Cmd) { c.Stderr = new(bytes.Buffer) },
		"a dumb terminal":          func(c *exec.Cmd) { c.Args = append([]string{"env", "TERM=dumb"}, c.Args...); c.Path = "/usr/bin/env" },
	} {
		t.Run(name, func(t *testing.T) {
			m := newTerminal(t, 80, 24)
			var stdout bytes.Buffer
			_, cmd := asked(t, m, &stdout, change)
			m.await(prompt)
			m.write("n\n")
			m.await(reasonPrompt)
			m.write("\n")
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(stdout.String(), "the person at the terminal denied the call") {
				t.Errorf("told: %q", stdout.String())
			}
		})
	}
}

// TestTerminalAfterStop: after Ctrl-Z and fg the question still waits for its answer.
func TestTerminalAfterStop(t *testing.T) {
	m := newTerminal(t, 80, 24)
	var stdout bytes.Buffer
	dir, cmd := asked(t, m, &stdout, nil)
	m.await(prompt)
	for _, s := range []os.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	m.write("y\n")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "site.html")); err != nil {
		t.Error(err)
	}
}

// TestTerminalInterrupted: a signal ends the question too.
func TestTerminalInterrupted(t *testing.T) {
	m := newTerminal(t, 80, 24)
	var stdout bytes.Buffer
	_, cmd := asked(t, m, &stdout, nil)
	m.await(prompt)
	m.write("\x03")
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v", err)
	}
}
