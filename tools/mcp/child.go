package mcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/tools/internal/process"
)

const (
	leaveTime = 500 * time.Millisecond // between the end of its input and SIGTERM
	drainTime = 500 * time.Millisecond // to read its last output
)

// child is a server process that was started here, in a process group of its own.
type child struct {
	*process.Group
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	view    io.Closer     // nil is the real file system
	gone    sync.Once     // closes the view
	copied  chan struct{} // closed when all of stderr is in the journal
	copying conc.WaitGroup
}

// startChild starts the command of a server, with its standard error copied to the journal.
func startChild(o Options, j *journal) (*child, error) {
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Dir, cmd.Env = o.Dir, append([]string{}, o.Env...) // nil would inherit
	c := &child{copied: make(chan struct{})}
	theirs, err := c.pipes(cmd)
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	c.Group, err = process.Start(cmd, c.process(o, cmd))
	closeAll(theirs)
	if err != nil {
		closeAll([]*os.File{c.stdin, c.stdout, c.stderr})
		c.letGo()
		return nil, fmt.Errorf("command %q: %w", o.Command[0], err)
	}
	c.copying.Go(func() {
		defer close(c.copied)
		_, _ = io.Copy(j, c.stderr) // until its end, or [child.end]
	})
	return c, nil
}

// process returns the options with which the command is started.
func (c *child) process(o Options, cmd *exec.Cmd) process.Options {
	if o.Hold != nil {
		return process.Options{Start: func() (err error) {
			if c.view, err = o.Hold(cmd); err != nil {
				return err
			}
			return cmd.Start()
		}}
	}
	if o.Confine == nil {
		return process.Options{}
	}
	return process.Options{Spoils: true, Start: func() error {
		if err := o.Confine(); err != nil {
			return err
		}
		return cmd.Start()
	}}
}

// pipes creates the pipes, and returns the ends that belong to the process.
func (c *child) pipes(cmd *exec.Cmd) (theirs []*os.File, err error) {
	in, stdin, inErr := os.Pipe()
	stdout, out, outErr := os.Pipe()
	stderr, errs, errErr := os.Pipe()
	if err := errors.Join(inErr, outErr, errErr); err != nil {
		closeAll([]*os.File{in, stdin, stdout, out, stderr, errs}) // closing nil does nothing
		return nil, err
	}
	c.stdin, c.stdout, c.stderr = stdin, stdout, stderr
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	return []*os.File{in, out, errs}, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// endedBy reports whether the process ends within d.
func (c *child) endedBy(d time.Duration) bool { return process.Within(d, c.Ended()) }

// status returns how the process ended, and waits for that.
func (c *child) status() string {
	code, signal := c.Wait()
	if signal != "" {
		return signal
	}
	return fmt.Sprintf("exit status %d", code)
}

// end ends the process and its group: it closes the input, sends SIGTERM, and then kills
// it. It can be called several times.
func (c *child) end() {
	c.stdin.Close()
	if !c.endedBy(leaveTime) {
		c.End()
	}
	c.Kill()
	c.Wait()
	if !process.Within(drainTime, c.copied) { // a process that has left the group holds the pipe
		c.stderr.SetReadDeadline(time.Now())
	}
	c.copying.Wait()
	c.stdout.Close()
	c.stderr.Close()
	c.letGo()
}

// letGo closes the view. It can be called several times, and concurrently.
func (c *child) letGo() {
	c.gone.Do(func() {
		if c.view != nil {
			_ = c.view.Close() // no changes land
		}
	})
}
