package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
)

// lateOutput is how long processes that a command has left behind, such as >(tee log), may print the rest.
const lateOutput = time.Second

// maxInPipe is how much may be in a pipe, in bytes: Linux lets users make them so large.
const maxInPipe = 1 << 20

// ErrPrintsTooMuch is the error of a command that has printed more than [MaxPrinted].
var ErrPrintsTooMuch = fmt.Errorf("it was ended, because it printed more than %d GiB", MaxPrinted>>30)

// A printing passes on what a command prints to a pipe, as long as bytes are left, and then stops the command,
// which might ignore a broken pipe. However slow the reader is, nothing is lost that was printed before the
// command ended.
type printing struct {
	to   io.Writer
	left *atomic.Int64 // for all that the command prints
	stop func(error)

	from, pipe *os.File // pipe is the command's end
	passing    conc.WaitGroup
	err        error // of writing; set when nothing more is passed on
}

// printings returns what passes on the output of the command. If both are the same, its order is kept.
func (c *Command) printings(stop func(error)) (out, errs *printing, err error) {
	left := new(atomic.Int64)
	left.Store(c.maxPrinted())
	if out, err = newPrinting(c.Stdout, left, stop); err != nil || c.Stderr == c.Stdout {
		return out, out, err
	}
	if errs, err = newPrinting(c.Stderr, left, stop); err != nil {
		finish(out)
	}
	return out, errs, err
}

func newPrinting(to io.Writer, left *atomic.Int64, stop func(error)) (p *printing, err error) {
	if to == nil {
		to = io.Discard
	}
	p = &printing{to: to, left: left, stop: stop}
	if p.from, p.pipe, err = os.Pipe(); err != nil {
		return nil, err
	}
	p.passing.Go(p.pass)
	return p, nil
}

// Write passes on a piece.
func (p *printing) Write(text []byte) (int, error) {
	if p.left.Add(-int64(len(text))) < 0 {
		p.stop(ErrPrintsTooMuch)
		return 0, ErrPrintsTooMuch
	}
	return p.to.Write(text)
}

func (p *printing) pass() {
	defer p.from.Close() // what still prints gets a broken pipe
	_, p.err = io.Copy(p, p.from)
	if errors.Is(p.err, os.ErrDeadlineExceeded) {
		p.err = p.passRest()
	}
}

// passRest passes on what is in the pipe, which something may hold open for ever.
func (p *printing) passRest() error {
	pipe, err := p.from.SyscallConn()
	buffer := make([]byte, 64<<10)
	for passed, n := 0, 1; err == nil && n > 0 && passed < maxInPipe; passed += n {
		n = 0
		err = pipe.Control(func(fd uintptr) { n, _ = syscall.Read(int(fd), buffer) }) // an error says that it is empty
		if err == nil && n > 0 {
			_, err = p.Write(buffer[:n])
		}
	}
	return err
}

// finish waits until everything is passed on that a command has printed, which has ended, and a little longer for
// what it has left behind.
func finish(all ...*printing) {
	for _, p := range all {
		p.pipe.Close()
		_ = p.from.SetReadDeadline(time.Now().Add(lateOutput)) // unless it is closed
	}
	for _, p := range all {
		p.passing.Wait()
	}
}
