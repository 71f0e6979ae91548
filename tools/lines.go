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
	if bytes.IndexByte(p, 0) < 0 && utf8.Valid(p) {
		return append(dst, p...)
	}
	const noText = 0xff // in UTF-8; a NUL is none either
	return append(dst, bytes.ToValidUTF8(bytes.ReplaceAll(p, []byte{0}, []byte{noText}), []byte("\uFFFD"))...)
}

// runesEnd returns the length of the first n characters of p.
func runesEnd(p []byte, n int) int {
	if len(p) <= n { // a character has at least one byte
		return len(p)
	}
	for i := range string(p) {
		if n--; n < 0 {
			return i
		}
	}
	return len(p)
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
