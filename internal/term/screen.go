package term

import (
	"io"
	"sync"
)

// A Screen takes everything that is no result. It hides secrets, and disarms commands of CI systems.
// It is safe for concurrent use; each Write is whole lines.
type Screen struct {
	to io.Writer

	mu   sync.Mutex
	mask func(string) string // nil: nothing is hidden
}

// NewScreen returns a screen that writes to w, which it never closes.
func NewScreen(w io.Writer) *Screen { return &Screen{to: w} }

// Past returns the writer behind the screen, which changes nothing.
func (s *Screen) Past() io.Writer { return s.to }

// Hide applies mask to everything that is written from now on.
func (s *Screen) Hide(mask func(string) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mask = mask
}

// Write writes lines. It never returns an error: a lost reader is no reason to end a run.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := string(p)
	if s.mask != nil {
		text = s.mask(text)
	}
	io.WriteString(s.to, Disarm(text))
	return len(p), nil
}
