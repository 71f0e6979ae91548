package steps

import (
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
)

// maxWhole bounds, in bytes, the output that later steps get.
const maxWhole = 64 << 20

// A stream takes what a command prints: what is shown of it, and the whole
// where that is to be read.
type stream struct {
	*tools.Output
	whole     *whole // nil keeps none
	truncated int    // 1 when something is not shown
	lost      int    // 1 when that is kept nowhere
	path      string // of the file with the whole; "" where there is none
}

// stream opens one of the two. What it shows is data, and not masked: that is
// for whoever writes it down.
func (c *Command) stream(name string, whole *whole) *stream {
	options := tools.OutputOptions{Limits: c.Limits, Mask: c.Mask, Reveal: true, Copy: whole.writer()}
	if options.Limits.Keep == "" {
		options.Limits.Keep = tools.KeepBoth
	}
	if c.Spill != nil {
		options.Spill = func() (io.WriteCloser, string, error) { return c.Spill(name) }
	}
	return &stream{Output: tools.NewOutput(options), whole: whole}
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
	if text.Lost {
		s.lost = 1
	}
	s.path = text.Path
	return text.Content
}

// A whole output is kept as long as it is not too long, and dropped then. Nil
// keeps nothing.
type whole struct {
	kept strings.Builder
	over bool
}

// writer is nil, and no interface of a nil, where nothing is kept.
func (w *whole) writer() io.Writer {
	if w == nil {
		return nil
	}
	return w
}

// Write never fails.
func (w *whole) Write(p []byte) (int, error) {
	switch {
	case w.over:
	case w.kept.Len()+len(p) > maxWhole:
		w.over, w.kept = true, strings.Builder{}
	default:
		w.kept.Write(p)
	}
	return len(p), nil
}

// say takes the text of what was printed: the whole where that is kept, and what
// is shown of it where it was cut.
func (r *Result) say(w *whole, shown string, cut bool, path string) {
	r.Text = strings.TrimSuffix(shown, "\n")
	if w == nil || w.over || !cut {
		return
	}
	r.Cut = &Cut{Shown: r.Text, Path: path}
	r.Text = strings.TrimSuffix(w.kept.String(), "\n")
}
