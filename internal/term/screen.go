package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	xterm "golang.org/x/term"
)

// A Screen takes everything that is no result. It hides secrets, and disarms commands of CI systems.
// It is safe for concurrent use; each Write is whole lines.
type Screen struct {
	to io.Writer

	mu   sync.Mutex
	mask func(string) string // nil: nothing is hidden
	out  *Outlet             // what is written goes through it; nil: at once
	lost int                 // writes for which there was no room
}

// NewScreen returns a screen that writes to w, which it never closes.
func NewScreen(w io.Writer) *Screen { return &Screen{to: w} }

// Size returns the columns and rows of the terminal, or usual ones.
func (s *Screen) Size() (columns, rows int) {
	if file, ok := s.to.(*os.File); ok {
		if columns, rows, err := xterm.GetSize(int(file.Fd())); err == nil && columns > 0 && rows > 0 {
			return columns, rows
		}
	}
	return 80, 24
}

// Follow makes writes asynchronous until Settle. Once ctx has ended, the screen waits only a short
// time for its reader.
func (s *Screen) Follow(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = NewOutlet(ctx, s.to)
}

// Flush waits a short time until earlier writes are on the screen.
func (s *Screen) Flush() {
	s.mu.Lock()
	out := s.out
	s.mu.Unlock()
	if out != nil {
		out.Flush()
	}
}

// Past waits for earlier writes, and returns the writer behind the screen, which changes nothing.
func (s *Screen) Past() io.Writer {
	s.Flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to
}

// Settle ends Follow. It does not wait for a blocked screen.
func (s *Screen) Settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out != nil && errors.Is(s.out.Close(), ErrBlocked) {
		s.to = io.Discard
	}
	s.out = nil
}

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
	text = Disarm(text)
	if s.out == nil {
		io.WriteString(s.to, text)
		return len(p), nil
	}
	if s.lost > 0 && s.out.offer(chunk{text: fmt.Appendf(nil, "flow: %d lines left out here: nobody read them in time\n", s.lost)}) {
		s.lost = 0
	}
	if !s.out.offer(chunk{text: []byte(text)}) {
		s.lost++
	}
	return len(p), nil
}
