package tools

import (
	"bytes"
	"strings"
)

// breaks says what may be between the characters of a spelling.
type breaks uint8

const (
	unbroken  breaks = iota
	lines            // newlines, as base64(1) adds them, also in numbered lines
	spaced           // newlines, and blanks and colons, as od(1) prints them
	mostGaps  = 2    // between two characters
	mostBlank = 16   // blanks at the beginning of a line
	mostDigit = 10   // digits of a line's number
)

// after returns the offset after the break at an offset, where the next character may be. more
// says that the text ends in the break.
func (k breaks) after(text []byte, at int) (next int, more bool) {
	for gaps := 0; gaps < mostGaps && at < len(text) && k.mayStart(text[at]); gaps++ {
		gap, short := k.skip(text[at:])
		at, more = at+gap, more || short
	}
	return at, more
}

// mayStart reports whether a break may begin with a byte.
func (k breaks) mayStart(c byte) bool {
	switch c {
	case '\r', '\n', '\\':
		return k != unbroken
	case ' ', ':':
		return k == spaced
	}
	return false
}

// starts returns the bytes with which a break may begin.
func (k breaks) starts() string {
	switch k {
	case lines:
		return "\r\n\\"
	case spaced:
		return "\r\n\\ :"
	}
	return ""
}

// skip returns the length of the break at the beginning of b. more says that b is too short
// to know.
func (k breaks) skip(b []byte) (n int, more bool) {
	if k == spaced && (b[0] == ' ' || b[0] == ':') {
		return 1, false
	}
	rest := b
	for _, end := range []string{"\r", `\r`, "\n", `\n`} {
		if len(rest) < len(end) && strings.HasPrefix(end, string(rest)) {
			return 0, true
		}
		rest = bytes.TrimPrefix(rest, []byte(end))
	}
	if len(rest) == len(b) {
		return 0, false
	}
	for blanks := 0; blanks < mostBlank && len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t'); blanks++ {
		rest = rest[1:]
	}
	number, short := lineNumber(rest)
	return len(b) - len(rest) + number, short
}

// lineNumber returns the length of the line number at the beginning of b, as the tool read
// prints it. more says that b is too short to know.
func lineNumber(b []byte) (n int, more bool) {
	for n < len(b) && n < mostDigit && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	if n == 0 {
		return 0, false
	}
	if after := b[n:]; bytes.HasPrefix(after, []byte("| ")) {
		return n + 2, false
	} else if len(after) == 0 || len(after) == 1 && after[0] == '|' {
		return 0, true
	}
	return 0, false
}
