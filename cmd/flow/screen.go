package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/tools"
)

// A screen is where everything goes that is no result: it hides secrets, and
// breaks what a CI system would take for a command to itself. It is safe for
// concurrent use; each Write is whole lines.
type screen struct {
	to io.Writer

	mu   sync.Mutex
	mask *tools.Mask
	out  *outlet // what is written goes through it; nil: at once
	lost int     // writes for which there was no room
}

// follow lets nothing that is written hold up a run, until settle. Once ctx has
// ended, the reader is waited for a little only.
func (s *screen) follow(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = newOutlet(ctx, s.to)
}

// flush waits, for a little, until what was written is on the screen.
func (s *screen) flush() {
	s.mu.Lock()
	out := s.out
	s.mu.Unlock()
	if out != nil {
		out.flush()
	}
}

// settle ends what follow began. A screen that is held up is left to itself.
func (s *screen) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out != nil && errors.Is(s.out.close(), errHeldUp) {
		s.to = io.Discard
	}
	s.out = nil
}

// hide masks secrets in all that is written from now on.
func (s *screen) hide(m *tools.Mask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mask = m
}

// Write writes lines. That nobody may be reading them any more is no reason to
// end a run.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := disarm([]byte(s.mask.String(string(p))))
	if s.out == nil {
		s.to.Write(text)
		return len(p), nil
	}
	if s.lost > 0 && s.out.offer(chunk{text: fmt.Appendf(nil, "flow: %s left out here: nobody read them in time\n", tools.Count(s.lost, "line"))}) {
		s.lost = 0
	}
	if !s.out.offer(chunk{text: text}) {
		s.lost++
	}
	return len(p), nil
}

// disarm breaks workflow commands: a line that starts with "::", and a "##"
// that a name in brackets follows, as GitHub, Azure and TeamCity read them.
func disarm(text []byte) []byte {
	if !bytes.Contains(text, []byte("::")) && !bytes.Contains(text, []byte("##")) {
		return text
	}
	var out []byte
	start := true // of a line, but for what nobody sees
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == ':' && start && bytes.HasPrefix(text[i:], []byte("::")) || r == '[' && afterHashes(text[:i]) {
			out = append(out, '\\')
		}
		out = append(out, text[i:i+size]...)
		start = endsLine(r) || start && (r == ' ' || hidden(r))
		i += size
	}
	return out
}

// endsLine reports whether some reader takes a character for the end of a line.
func endsLine(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }

// afterHashes reports whether text ends in "##" and perhaps a name.
func afterHashes(text []byte) bool {
	name := bytes.TrimRightFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	return bytes.HasSuffix(name, []byte("##"))
}
