package shell

import (
	"bytes"
	"io"
	"os"

	"github.com/a-seed-11b9befa/flow/tools"
)

// printed passes on what a model's command prints, and looks there for messages of the
// system about missing rights. What may show hidden files it keeps back until it is known
// whether it does.
type printed struct {
	out     *tools.Output
	back    *os.File // nil keeps nothing back
	refused bool
}

// printTo returns where the output of a command goes.
func (c Command) printTo(out *tools.Output) (p *printed, err error) {
	p = &printed{out: out}
	if c.call.Git && c.call.Beside && c.Sandbox.hold() != nil {
		if p.back, err = os.CreateTemp("", "flow-"); err != nil {
			return nil, err
		}
		err = os.Remove(p.back.Name())
	}
	return p, err
}

// Write passes on a piece of the output.
func (p *printed) Write(text []byte) (int, error) {
	lower := bytes.ToLower(text)
	for _, words := range []string{"permission denied", "not permitted", "eacces", "read-only file system", "erofs"} {
		p.refused = p.refused || bytes.Contains(lower, []byte(words))
	}
	if p.back != nil {
		return p.back.Write(text)
	}
	return p.out.Write(text)
}

// release passes on what was kept back.
func (p *printed) release() error {
	if p.back == nil {
		return nil
	}
	if _, err := p.back.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(p.out, p.back)
	return err
}

func (p *printed) close() {
	if p.back != nil {
		p.back.Close()
	}
}
