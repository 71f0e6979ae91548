package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc"
)

// pipes copy the output of a command to its writers. The command gets the files themselves,
// so that waiting for it does not wait for others that hold them open.
type pipes struct {
	out, errs *pipe // errs is out if both have the same writer

	left atomic.Int64 // how many bytes may still be printed to both
	stop func(error)  // called when more are printed
}

// ErrPrintsTooMuch is the error of a command that has printed more than [MaxPrinted].
var ErrPrintsTooMuch = fmt.Errorf("it was ended, because it printed more than %d GiB", MaxPrinted>>30)

type pipe struct {
	to     io.Writer
	reader *os.File
	writer *os.File
	err    error
}

func newPipes(stdout, stderr io.Writer, most int64, stop func(error)) (*pipes, error) {
	p := &pipes{stop: stop}
	p.left.Store(most)
	out, err := p.newPipe(stdout)
	if err != nil {
		return nil, err
	}
	if sameWriter(stdout, stderr) {
		p.out, p.errs = out, out
		return p, nil
	}
	errs, err := p.newPipe(stderr)
	if err != nil {
		out.close()
		return nil, err
	}
	p.out, p.errs = out, errs
	return p, nil
}

// sameWriter reports whether two writers are equal. Writers that can't be compared are not.
func sameWriter(a, b io.Writer) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return a == b
}

func (p *pipes) newPipe(to io.Writer) (*pipe, error) {
	if to == nil {
		to = io.Discard
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &pipe{to: bounded{to, p}, reader: r, writer: w}, nil
}

// bounded writes as long as bytes are left, and then stops the command, which might ignore
// a broken pipe.
type bounded struct {
	to    io.Writer
	pipes *pipes
}

func (b bounded) Write(p []byte) (int, error) {
	if b.pipes.left.Add(-int64(len(p))) < 0 {
		b.pipes.stop(ErrPrintsTooMuch)
		return 0, ErrPrintsTooMuch
	}
	return b.to.Write(p)
}

func (p *pipes) each(do func(*pipe)) {
	do(p.out)
	if p.errs != p.out {
		do(p.errs)
	}
}

func (p *pipes) attach(cmd *exec.Cmd) {
	cmd.Stdout, cmd.Stderr = p.out.writer, p.errs.writer
}

func (p *pipes) closeWriters() {
	p.each(func(one *pipe) { one.writer.Close() })
}

// copy copies until the pipes are closed, or their readers stopped.
func (p *pipes) copy() {
	var copies conc.WaitGroup
	p.each(func(one *pipe) { copies.Go(one.copy) })
	copies.Wait()
}

func (p *pipe) copy() {
	_, err := io.Copy(p.to, p.reader)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		p.err = err
	}
	p.reader.Close() // whoever goes on printing gets a broken pipe
}

func (p *pipes) stopReading() {
	p.each(func(one *pipe) { one.reader.SetReadDeadline(time.Now()) })
}

func (p *pipes) err() error {
	if p.errs == p.out {
		return p.out.err
	}
	return errors.Join(p.out.err, p.errs.err)
}

// close closes what is still open.
func (p *pipes) close() { p.each((*pipe).close) }

func (p *pipe) close() {
	p.reader.Close()
	p.writer.Close()
}
