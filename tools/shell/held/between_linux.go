package held

import (
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// A program that is not dumpable, so that other programs of its user can't read its memory,
// can't make a user namespace either: the files that map users are closed as well. It
// starts itself once more, dumpable, to start the program inside.

// betweenMarker is the name of the program in between.
const betweenMarker = "flow: held command, to be"

// closed reports whether this program is not dumpable.
func closed() bool {
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	return err == nil && dumpable != 1
}

// between starts the program inside, and ends as it does.
func between() int {
	runtime.LockOSThread() // the program inside ends with this thread
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT) // they reach the command, which is in the same group
	cmd := exec.Command("/proc/self/exe")
	cmd.Args, cmd.Dir, cmd.Env = []string{marker}, "/", os.Environ()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{os.NewFile(specFile, "spec"), os.NewFile(statusFile, "status")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
	s := spec{User: true, Offline: len(os.Args) > 1}
	if err := s.separate(cmd.SysProcAttr); err != nil {
		return send(failure(err))
	}
	if err := cmd.Start(); err != nil {
		return send(failure(err))
	}
	_ = cmd.Wait() // how it ended is in the report
	return cmd.ProcessState.ExitCode()
}
