package process

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes the process the first of a new process group, or of a new session, which
// has a new group too.
func ownGroup(cmd *exec.Cmd, session bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session, Setpgid: !session}
	endWithParent(cmd.SysProcAttr)
}

// terminate and kill signal the whole group, and ignore that it may have no processes left.
func terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

func status(s *os.ProcessState) (code int, signal string) {
	w, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !w.Signaled() {
		return s.ExitCode(), ""
	}
	return 128 + int(w.Signal()), unix.SignalName(w.Signal())
}
