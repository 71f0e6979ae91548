package tools

import (
	"bytes"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// shownLines turns a stream into the lines to show: it shortens long ones, and replaces
// bytes that are not text. It passes them to a window, which keeps some.
type shownLines struct {
	window    window
	chars     int // limit of a line
	bytes     int // limit of a line, with its mark and newline
	part      []byte
	partBytes int64 // bytes of the unfinished line; part is its beginning
	shortened int64 // how many lines were shortened
	line      []byte
	secrets   *Mask // a line is not cut inside one of its secrets; may be nil
}

func newShownLines(l Limits) shownLines {
	return shownLines{window: newWindow(l), chars: l.LineChars, bytes: l.Bytes}
}

// truncated reports whether a part of what was written will not be shown.
func (s *shownLines) truncated() bool {
	return s.shortened > 0 || s.window.over() || s.partBytes > s.maxPart()
}

// maxPart returns a number of bytes that certainly hold as many characters as a line may
// have.
func (s *shownLines) maxPart() int64 { return utf8.UTFMax * int64(s.chars) }

func (s *shownLines) write(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			s.extend(p)
			return
		}
		s.extend(p[:end])
		s.endLine("\n")
		p = p[end+1:]
	}
}

// finish ends the last line, which may have no newline.
func (s *shownLines) finish() {
	if s.partBytes > 0 {
		s.endLine("")
	}
}

// firstOdd returns the index of the first byte of p that is not text, or -1.
func firstOdd(p []byte) int {
	nul := bytes.IndexByte(p, 0)
	if nul >= 0 {
		p = p[:nul]
	}
	if len(p) > shortText && utf8.Valid(p) {
		return nul
	}
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return nul
}

// shortText is the length up to which a separate check for valid text is not worth it.
const shortText = 16

// extend adds to the unfinished line. It only counts what is beyond the limit.
func (s *shownLines) extend(p []byte) {
	s.partBytes += int64(len(p))
	room := int(s.maxPart()) + utf8.UTFMax - len(s.part)
	s.part = append(s.part, p[:max(0, min(len(p), room))]...)
}

func (s *shownLines) endLine(newline string) {
	raw := s.partBytes + int64(len(newline))
	s.line = append(s.shorten(s.line[:0], s.bytes-len(newline)), newline...)
	s.part, s.partBytes = s.part[:0], 0
	s.window.add(s.line, raw)
}

// shorten appends the finished line in the form to show, in at most that many bytes.
func (s *shownLines) shorten(dst []byte, most int) []byte {
	kept := s.part[:s.secrets.before(s.part, runesEnd(s.part, s.chars))]
	dst = appendHarmless(dst, kept)
	if int64(len(kept)) == s.partBytes && len(dst) <= most {
		return dst
	}
	s.shortened++
	room := max(0, most-len(shortenedMark(s.partBytes)))
	for n := room; len(dst) > room; n /= 2 { // a byte that is not text becomes three
		kept = kept[:s.secrets.before(s.part, runeStart(kept, n))]
		dst = appendHarmless(dst[:0], kept)
	}
	return append(dst, shortenedMark(s.partBytes-int64(len(kept)))...)
}

func shortenedMark(left int64) string {
	return " … " + quantity.Thousands(left) + " bytes of this line left out"
}

// appendHarmless appends p, with each run of bytes that are not text replaced.
func appendHarmless(dst, p []byte) []byte {
	for len(p) > 0 {
		odd := firstOdd(p)
		if odd < 0 {
			return append(dst, p...)
		}
		dst = append(dst, p[:odd]...)
		dst = append(dst, "\uFFFD"...)
		p = p[odd+oddRun(p[odd:]):]
	}
	return dst
}

// oddRun returns how many bytes at the beginning of p are not text.
func oddRun(p []byte) int {
	for i := 0; i < len(p); i++ {
		if r, n := utf8.DecodeRune(p[i:]); p[i] != 0 && (r != utf8.RuneError || n > 1) {
			return i
		}
	}
	return len(p)
}

// runesEnd returns the length of the first n characters of p.
func runesEnd(p []byte, n int) int {
	end := 0
	for ; n > 0 && end < len(p); n-- {
		if p[end] < utf8.RuneSelf {
			end++
			continue
		}
		_, size := utf8.DecodeRune(p[end:])
		end += size
	}
	return end
}

// runeStart returns the last index up to n where a character starts.
func runeStart(p []byte, n int) int {
	if n >= len(p) {
		return len(p)
	}
	start := n
	for start > 0 && n-start < utf8.UTFMax && !utf8.RuneStart(p[start]) {
		start--
	}
	return start
}
