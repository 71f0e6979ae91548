package steps

import (
	"io"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools"
)

// maxWhole is how many bytes of an output later steps get.
const maxWhole = 64 << 20

// stream gets the standard output or error of a command.
type stream struct {
	*tools.Output
	whole     *whole // the whole output; may be nil
	truncated int    // 1 if something is not shown
	lost      int    // 1 if that is not kept anywhere
	path      string // of the file with the whole output, or ""
}

// stream returns a new stream. What it shows is data, and not masked, which is up to those
// who record it.
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

// close returns what is shown. If closing fails, it sets err unless that is set.
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

// whole keeps a whole output, unless it becomes longer than maxWhole. Nil keeps nothing.
type whole struct {
	kept strings.Builder
	over bool
}

// writer returns w as an interface, which is nil if w is.
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

// say sets Text to the whole output if that is kept, else to what is shown. If both are set
// and differ, Cut is what is shown.
func (r *Result) say(w *whole, shown string, cut bool, path string) {
	r.Text = strings.TrimSuffix(shown, "\n")
	if w == nil || w.over || !cut {
		return
	}
	r.Cut = &Cut{Shown: r.Text, Path: path}
	r.Text = strings.TrimSuffix(w.kept.String(), "\n")
}
