package mcp

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/sourcegraph/conc"
)

const (
	leaveTime = 500 * time.Millisecond // between the end of its input and SIGTERM
	termGrace = 2 * time.Second        // between SIGTERM and SIGKILL
	drainTime = 500 * time.Millisecond // for what it printed last
)

// A process is a server that was started here, in a process group of its own.
type process struct {
	cmd     *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	ended   chan struct{}
	copied  chan struct{}
	running conc.WaitGroup
}

// startProcess starts the command of a server. What it prints on its standard
// error goes to the journal.
func startProcess(o Options, j *journal) (*process, error) {
	p := &process{cmd: exec.Command(o.Command[0], o.Command[1:]...), ended: make(chan struct{}), copied: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = o.Dir, append([]string{}, o.Env...) // nil would inherit
	ownGroup(p.cmd)
	theirs, err := p.pipes()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	started := make(chan error)
	p.running.Go(func() { p.run(started) })
	err = <-started
	closeAll(theirs)
	if err != nil {
		p.running.Wait()
		closeAll([]*os.File{p.stdin, p.stdout, p.stderr})
		return nil, fmt.Errorf("command %q: %w", o.Command[0], plainError(err))
	}
	p.running.Go(func() {
		defer close(p.copied)
		j.copy(p.stderr)
	})
	return p, nil
}

// pipes makes the pipes, and returns the ends that are the process's.
func (p *process) pipes() (theirs []*os.File, err error) {
	var open []*os.File
	pair := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		if r, w, err = os.Pipe(); err == nil {
			open = append(open, r, w)
		}
		return r, w
	}
	in, stdin := pair()
	stdout, out := pair()
	stderr, errs := pair()
	if err != nil {
		closeAll(open)
		return nil, err
	}
	p.stdin, p.stdout, p.stderr = stdin, stdout, stderr
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, errs
	return []*os.File{in, out, errs}, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// run starts the process and waits for it. It holds on to its thread: the end
// of that would be taken for the end of the program.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.ended)
	err := p.cmd.Start()
	started <- err
	if err == nil {
		_ = p.cmd.Wait() // the state tells how it ended
	}
}

// endedBy reports whether the process has ended, within d.
func (p *process) endedBy(d time.Duration) bool { return within(d, p.ended) }

// status says how the process ended, once it has.
func (p *process) status() string {
	<-p.ended
	return exitStatus(p.cmd.ProcessState)
}

// end ends the process and its group: it closes its input, asks it, and kills
// it. It can be called several times.
func (p *process) end() {
	p.stdin.Close()
	if !within(leaveTime, p.ended) {
		terminate(p.cmd.Process)
		within(termGrace, p.ended)
	}
	kill(p.cmd.Process)
	<-p.ended
	if !within(drainTime, p.copied) { // what has left the group holds the pipe
		p.stderr.SetReadDeadline(time.Now())
	}
	p.running.Wait()
	p.stdout.Close()
	p.stderr.Close()
}

func within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
