package runner

import (
	"io"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A Stream writes events to w, one JSON object a line, each in one Write. It
// numbers them from 1, and stops at the first error. It is safe for concurrent
// use.
type Stream struct {
	w    io.Writer
	mask *tools.Mask

	mu  sync.Mutex
	seq int64
	err error
}

// NewStream returns a stream of events to w, with mask applied to each line; nil hides
// nothing.
func NewStream(w io.Writer, mask *tools.Mask) *Stream { return &Stream{w: w, mask: mask} }

// Write writes one event. It returns the first error of the stream.
func (s *Stream) Write(e Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	e.Seq = s.seq + 1
	line, err := jsonline.Encode(e.line())
	if err == nil {
		_, err = s.w.Write(append(s.mask.JSON(line), '\n'))
	}
	if err != nil {
		s.err = err
		return err
	}
	s.seq = e.Seq
	return nil
}
