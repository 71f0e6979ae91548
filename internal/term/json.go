package term

import (
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/hidden"
)

// JSONOutput is a writer of JSON to w. On a terminal and in a job's log it escapes characters so that
// no string is a command; the JSON stays equivalent.
func JSONOutput(w io.Writer, env func(name string) string) io.Writer {
	if InCILog(w, env) || IsTerminal(w) {
		return &unarmedJSON{to: w}
	}
	return w
}

// An unarmedJSON writes JSON with escapes for characters that act on a terminal or are invisible, and
// for the bracket of "##[", with or without a name before it. No line of JSON starts with "::".
type unarmedJSON struct {
	to      io.Writer
	partial []byte // the beginning of a character
	hashes  int    // that were written last
	named   bool   // letters followed them
}

// Write writes a part of a JSON text.
func (u *unarmedJSON) Write(p []byte) (int, error) {
	in := append(u.partial, p...)
	out := make([]byte, 0, len(in))
	for utf8.FullRune(in) {
		r, size := utf8.DecodeRune(in)
		switch {
		case r == '[' && u.hashes >= 2, hidden.Is(r) && r != '\n', r == utf8.RuneError && size == 1:
			out = appendEscape(out, r)
		default:
			out = append(out, in[:size]...)
		}
		u.follow(r)
		in = in[size:]
	}
	u.partial = append(u.partial[:0], in...)
	if _, err := u.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// appendEscape appends the JSON escape of a character.
func appendEscape(out []byte, r rune) []byte {
	for _, unit := range utf16.AppendRune(nil, r) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}

// follow tracks whether a bracket would complete a command.
func (u *unarmedJSON) follow(c rune) {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	switch {
	case c == '#' && !u.named:
		u.hashes++
	case c == '#':
		u.hashes, u.named = 1, false
	case letter && u.hashes >= 2:
		u.named = true
	default:
		u.hashes, u.named = 0, false
	}
}
