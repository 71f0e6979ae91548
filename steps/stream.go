package steps

import (
	"bytes"
	"io"

	"github.com/a-seed-11b9befa/flow/tools"
)

// maxWhole bounds, in bytes, the output that is read as lines or JSON.
const maxWhole = 64 << 20

// A stream takes what a command prints: what is shown of it, and the whole
// where that is to be read.
type stream struct {
	*tools.Output
	whole     *whole // nil keeps none
	truncated int    // 1 when something is not shown
}

func (c *Command) stream(name string) *stream {
	options := tools.OutputOptions{Limits: c.Limits, Mask: c.Mask}
	if options.Limits.Keep == "" {
		options.Limits.Keep = tools.KeepBoth
	}
	if c.Spill != nil {
		options.Spill = func() (io.WriteCloser, string, error) { return c.Spill(name) }
	}
	return &stream{Output: tools.NewOutput(options)}
}

// Write is for one goroutine.
func (s *stream) Write(p []byte) (int, error) {
	if s.whole != nil {
		s.whole.add(p)
	}
	return s.Output.Write(p)
}

// close returns what is shown, and sets err where it is nil and closing failed.
func (s *stream) close(err *error) string {
	text, closing := s.Close()
	if *err == nil {
		*err = closing
	}
	if text.Truncated {
		s.truncated = 1
	}
	return text.Content
}

// A whole output is kept as long as it is not too long, and dropped then.
type whole struct {
	kept bytes.Buffer
	over bool
}

func (w *whole) add(p []byte) {
	switch {
	case w.over:
	case w.kept.Len()+len(p) > maxWhole:
		w.over, w.kept = true, bytes.Buffer{}
	default:
		w.kept.Write(p)
	}
}
