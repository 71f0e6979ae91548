package process

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start starts a script of the shell.
func start(t *testing.T, script string, o Options) *Group {
	t.Helper()
	g, err := Start(exec.Command("sh", "-c", script), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Kill(); g.Wait() })
	return g
}

func TestWait(t *testing.T) {
	tests := []struct {
		script, signal string
		code           int
	}{
		{"true", "", 0},
		{"exit 7", "", 7},
		{"kill -KILL $$", "SIGKILL", 137},
	}
	for _, test := range tests {
		g := start(t, test.script, Options{})
		if code, signal := g.Wait(); code != test.code || signal != test.signal {
			t.Errorf("%s: got %d %q", test.script, code, signal)
		}
		if !Within(0, g.Ended()) {
			t.Errorf("%s: it has not ended", test.script)
		}
	}
}

func TestStartErrors(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name string
		cmd  *exec.Cmd
		o    Options
		want string
	}{
		{"no such program", exec.Command("frobnicate-x"), Options{}, exec.ErrNotFound.Error()},
		{"no such file", exec.Command("/nowhere/x"), Options{}, syscall.ENOENT.Error()},
		{"too long", exec.Command("true", strings.Repeat("x", 4<<20)), Options{}, syscall.E2BIG.Error()},
		{"a start of its own", exec.Command("true"), Options{Start: func() error { return broken }, Spoils: true}, "broken"},
	}
	for _, test := range tests {
		if g, err := Start(test.cmd, test.o); g != nil || err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
}

// TestEnd ends a group that is deaf to SIGTERM, with a process that outlives the
// first one.
func TestEnd(t *testing.T) {
	for _, session := range []bool{false, true} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", `trap "" TERM; sleep 300 & echo; wait; sleep 300`)
		cmd.Stdout = w
		g, err := Start(cmd, Options{Session: session})
		w.Close()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if id, err := syscall.Getpgid(g.ID()); id != g.ID() {
			t.Errorf("session %v: group %d of process %d: %v", session, id, g.ID(), err)
		}
		g.End()
		if _, signal := g.Wait(); signal != "SIGKILL" {
			t.Errorf("session %v: ended by %q", session, signal)
		}
		// The pipe has an end when nobody holds it any more.
		r.SetReadDeadline(time.Now().Add(time.Minute))
		if n, err := r.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("session %v: a process is left: %v", session, err)
		}
		r.Close()
	}
}
