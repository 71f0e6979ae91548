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

// A Screen is where everything goes that is no result: it hides secrets, and
// breaks what a CI system would take for a command to itself. It is safe for
// concurrent use; each Write is whole lines.
type Screen struct {
	to io.Writer

	mu   sync.Mutex
	mask func(string) string // nil: nothing is hidden
	out  *Outlet             // what is written goes through it; nil: at once
	lost int                 // writes for which there was no room
}

// NewScreen returns a screen that writes to w, which it never closes.
func NewScreen(w io.Writer) *Screen { return &Screen{to: w} }

// IsTerminal reports whether somebody sees the screen on a terminal.
func (s *Screen) IsTerminal() bool { return IsTerminal(s.to) }

// Size is how many columns and rows the terminal has, or what is likely.
func (s *Screen) Size() (columns, rows int) {
	if file, ok := s.to.(*os.File); ok {
		if columns, rows, err := xterm.GetSize(int(file.Fd())); err == nil && columns > 0 && rows > 0 {
			return columns, rows
		}
	}
	return 80, 24
}

// Follow lets nothing that is written hold its writer up, until Settle. Once ctx
// has ended, the reader is waited for a little only.
func (s *Screen) Follow(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = NewOutlet(ctx, s.to)
}

// Flush waits, for a little, until what was written is on the screen.
func (s *Screen) Flush() {
	s.mu.Lock()
	out := s.out
	s.mu.Unlock()
	if out != nil {
		out.Flush()
	}
}

// Past is where the screen writes to, for what it must not change, once all is written that
// came before.
func (s *Screen) Past() io.Writer {
	s.Flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to
}

// Settle ends what Follow began. A screen that is held up is left to itself.
func (s *Screen) Settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out != nil && errors.Is(s.out.Close(), ErrHeldUp) {
		s.to = io.Discard
	}
	s.out = nil
}

// Hide has mask take the secrets out of all that is written from now on.
func (s *Screen) Hide(mask func(string) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mask = mask
}

// Write writes lines. It never returns an error: that nobody reads them any more
// is no reason to end a run.
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
