package shell

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/sourcegraph/conc"
)

// pipes carry what a command prints to its writers. The command gets the files
// themselves, so that its end is seen though others hold them open.
type pipes struct {
	out, errs *pipe // errs is out where both go to one writer
}

type pipe struct {
	to     io.Writer
	reader *os.File
	writer *os.File
	err    error
}

func newPipes(stdout, stderr io.Writer) (*pipes, error) {
	out, err := newPipe(stdout)
	if err != nil {
		return nil, err
	}
	if sameWriter(stdout, stderr) {
		return &pipes{out: out, errs: out}, nil
	}
	errs, err := newPipe(stderr)
	if err != nil {
		out.close()
		return nil, err
	}
	return &pipes{out: out, errs: errs}, nil
}

// sameWriter reports whether two writers are one. Writers that can't be
// compared are not.
func sameWriter(a, b io.Writer) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return a == b
}

func newPipe(to io.Writer) (*pipe, error) {
	if to == nil {
		to = io.Discard
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &pipe{to: to, reader: r, writer: w}, nil
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

// copy returns when all that was printed is written.
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
	p.reader.Close() // what prints on gets a broken pipe
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
