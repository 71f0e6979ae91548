// Package process starts programs, each in a process group of its own, and ends whole
// groups.
//
//	group, err := process.Start(exec.Command("make"), process.Options{})
//	if err != nil {
//		return err
//	}
//	if !process.Within(time.Minute, group.Ended()) {
//		group.End()
//	}
//	group.Wait()
//
// When this program is killed, Linux kills the first process of each group. Processes that
// have left their group are out of reach.
package process

import (
	"os/exec"
	"runtime"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Grace is the time between SIGTERM and SIGKILL.
const Grace = 2 * time.Second

// Options say how a program is started. The zero value starts a group in the session of
// this process.
type Options struct {
	Session bool // the program gets a session of its own, without a terminal

	// Start starts the program, in place of [exec.Cmd.Start], on a thread that is kept
	// until the program ends. Spoils says that Start gives up rights of the thread, so that
	// nothing else may run on it: it ends with the program.
	Start  func() error
	Spoils bool
}

// Group are the processes of one program. It is safe for concurrent use.
type Group struct {
	cmd     *exec.Cmd
	ended   chan struct{} // closed when the first process has ended
	running conc.WaitGroup
}

// Start starts a program. An error names neither the program nor the system call. The
// caller has to call Wait.
func Start(cmd *exec.Cmd, o Options) (*Group, error) {
	if o.Start == nil {
		o.Start = cmd.Start
	}
	ownGroup(cmd, o.Session)
	g := &Group{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error)
	g.running.Go(func() { g.run(o, started) })
	if err := <-started; err != nil {
		g.running.Wait()
		return nil, paths.Cause(err)
	}
	return g, nil
}

// run starts the first process, and waits for it. It stays on its thread, because the
// kernel kills the process when that thread ends.
func (g *Group) run(o Options, started chan<- error) {
	runtime.LockOSThread()
	if !o.Spoils {
		defer runtime.UnlockOSThread()
	} else if onMainThread() {
		// The runtime never ends the main thread, and the kernel takes its rights for those
		// of the whole process: a sandbox on it would let the program signal this one. While
		// it waits here, the program is started on another.
		defer runtime.UnlockOSThread()
		var other conc.WaitGroup
		other.Go(func() { g.run(o, started) })
		other.Wait()
		return
	}
	defer close(g.ended)
	err := o.Start()
	started <- err
	if err == nil {
		_ = g.cmd.Wait() // ProcessState says how it ended; nothing else can fail
	}
}

// Ended is closed when the first process has ended.
func (g *Group) Ended() <-chan struct{} { return g.ended }

// ID returns the id of the first process, and of the group.
func (g *Group) ID() int { return g.cmd.Process.Pid }

// Kill kills what is left in the group, also when its first process has ended.
func (g *Group) Kill() { kill(g.cmd.Process) }

// End asks the group to end, kills what does not, and returns when the first
// process has ended.
func (g *Group) End() {
	terminate(g.cmd.Process)
	Within(Grace, g.ended)
	g.Kill()
	<-g.ended
}

// Wait waits for the first process, and returns its exit code. If a signal such as SIGKILL
// ended it, the code is 128 plus the signal's number, as in a shell.
func (g *Group) Wait() (code int, signal string) {
	g.running.Wait()
	return status(g.cmd.ProcessState)
}

// Within waits until done is closed, but not longer than d, and reports whether it is.
func Within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
	}
	select {
	case <-done: // both were ready
		return true
	default:
		return false
	}
}
