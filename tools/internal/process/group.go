package process

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes the process the first of a new group, whose id is its own; so
// does a new session.
func ownGroup(cmd *exec.Cmd, session bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session, Setpgid: !session}
	endWithParent(cmd.SysProcAttr)
}

// terminate and kill reach the whole group. That no process is left in it is no
// error.
func terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

func status(s *os.ProcessState) (code int, signal string) {
	w, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !w.Signaled() {
		return s.ExitCode(), ""
	}
	return 128 + int(w.Signal()), unix.SignalName(w.Signal())
}
