package tools

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

// A Mask replaces secrets by ***. Nil masks nothing. It is safe for concurrent
// use.
//
// A secret is found as it is, as JSON, URLs and shells spell it, and in base64
// and hex, wherever it stands in what was encoded and wherever lines were broken
// in it. Each longer line of a secret of several lines is a secret too. Values of
// less than six bytes are ignored: they would make any text unreadable, and tell
// nothing (a local service's key may be "none"). Where two secrets overlap, the
// one that starts first is masked. Keys and tokens that services hand out are
// known by their shapes, whoever they belong to. What is spelled in another way,
// backwards say, is not found.
type Mask struct {
	starts    [256]byteSet    // the second bytes of the spellings and shapes that start with that byte
	spellings [256][]spelling // by their first byte, the longest first
	tokens    [256][]tokenShape
}

const (
	masked         = "***"
	shortestSecret = 6
	shortestLine   = 8 // of a secret of several lines
	shortestBase64 = 8 // fewer characters of base64 stand in innocent text, too
)

// NewMask returns a mask of these values, and of all that looks like a token.
func NewMask(values []string) *Mask {
	all := make(map[spelling]bool)
	for _, value := range values {
		for _, secret := range secretParts(value) {
			for _, s := range spellings(secret) {
				all[s] = true
			}
		}
	}
	m := new(Mask)
	for s := range all {
		for _, second := range []byte(s.breaks.starts() + s.text[1:2]) {
			m.starts[s.text[0]].add(second)
		}
		m.spellings[s.text[0]] = append(m.spellings[s.text[0]], s)
	}
	for _, list := range m.spellings {
		slices.SortFunc(list, func(a, b spelling) int { return cmp.Or(len(b.text)-len(a.text), int(a.breaks)-int(b.breaks)) })
	}
	for _, s := range tokenShapes {
		m.starts[s.prefix[0]].add(s.prefix[1])
		m.tokens[s.prefix[0]] = append(m.tokens[s.prefix[0]], s)
	}
	return m
}

// secretParts returns the texts of a value that are secret each for itself.
func secretParts(value string) []string {
	var parts []string
	for _, s := range []string{value, strings.TrimSpace(value)} {
		if len(s) >= shortestSecret {
			parts = append(parts, s)
		}
	}
	if !strings.Contains(strings.TrimSpace(value), "\n") {
		return parts
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= shortestLine {
			parts = append(parts, line)
		}
	}
	return parts
}

// String returns s with its secrets masked.
func (m *Mask) String(s string) string {
	if m == nil || s == "" {
		return s
	}
	b := []byte(s)
	if !m.finds(b) {
		return s
	}
	out, _ := m.scan(nil, b, true)
	return string(out)
}

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte) { s[c/64] |= 1 << (c % 64) }

// mayStart reports whether a secret may start at b[i]. Most bytes of a text are
// passed over by it: to look closer at each of them takes ten times as long.
func (m *Mask) mayStart(b []byte, i int) bool {
	set := &m.starts[b[i]]
	if i+1 == len(b) {
		return *set != byteSet{}
	}
	next := b[i+1]
	return set[next/64]>>(next%64)&1 != 0
}

// finds reports whether there is a secret in b.
func (m *Mask) finds(b []byte) bool {
	for i := range b {
		if m.mayStart(b, i) {
			if n, _ := m.at(b[i:]); n > 0 {
				return true
			}
		}
	}
	return false
}

// before returns end, or where the secret starts that stands across it: no part
// of a secret is left when b is cut there. What may go on behind b counts, too.
func (m *Mask) before(b []byte, end int) int {
	if m == nil || end >= len(b) {
		return end
	}
	for i := 0; i < end; {
		n := 1
		if m.mayStart(b, i) {
			found, more := m.at(b[i:])
			if n = max(n, found); more {
				n = len(b) - i
			}
		}
		if i+n > end {
			return i
		}
		i += n
	}
	return end
}

// Writer returns a writer that masks what is written to it, and writes it to w.
// Secrets that are split over writes are found: what may be the beginning of
// one is held back until more comes, or Close is called. Close does not close
// w.
func (m *Mask) Writer(w io.Writer) io.WriteCloser {
	return &maskWriter{mask: m, to: w}
}

type maskWriter struct {
	mask *Mask
	to   io.Writer
	held []byte
	out  []byte
	next int // the length of held at which it is worth to look at it again
}

// muchHeld is from where on a writer does not look at all that it holds back with
// each byte that comes, but when an eighth has come: the work stays in proportion.
const muchHeld = 512

func (w *maskWriter) Write(p []byte) (int, error) {
	if w.mask == nil {
		return w.to.Write(p)
	}
	in := p
	if len(w.held) > 0 {
		w.held = append(w.held, p...)
		if len(w.held) < w.next {
			return len(p), nil
		}
		in = w.held
	}
	out, rest := w.mask.scan(w.out[:0], in, false)
	w.out = out
	w.held, w.next = append(w.held[:0], rest...), 0
	if len(rest) >= muchHeld {
		w.next = len(rest) + len(rest)/8
	}
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *maskWriter) Close() error {
	if w.mask == nil || len(w.held) == 0 {
		return nil
	}
	out, _ := w.mask.scan(nil, w.held, true)
	w.held = nil
	_, err := w.to.Write(out)
	return err
}

// scan appends b with its secrets masked to dst. What may be the beginning of a
// secret is returned as the rest, unless b is all there is.
func (m *Mask) scan(dst, b []byte, all bool) (out, rest []byte) {
	from := 0
	for i := 0; i < len(b); {
		if !m.mayStart(b, i) {
			i++
			continue
		}
		n, more := m.at(b[i:])
		switch {
		case more && !all:
			return append(dst, b[from:i]...), b[i:]
		case n == 0:
			i++
		default:
			dst = append(append(dst, b[from:i]...), masked...)
			i += n
			from = i
		}
	}
	return append(dst, b[from:]...), nil
}

// at returns the length of the longest secret that b begins with, 0 for none. More
// reports that b is too short to tell whether a longer one is there.
func (m *Mask) at(b []byte) (n int, more bool) {
	for _, s := range m.spellings[b[0]] {
		length, short := s.match(b)
		n, more = max(n, length), more || short
		if length > 0 {
			break
		}
	}
	for i := range m.tokens[b[0]] {
		length, short := m.tokens[b[0]][i].match(b)
		n, more = max(n, length), more || short
	}
	return n, more
}
