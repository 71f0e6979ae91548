package files

import (
	"slices"
	"strings"
)

// A plainText is a text in which each line ends in \n, with the endings that its lines really have.
// An ending is \n with any \r before it; in a text without \n it is \r.
type plainText struct {
	text    string
	returns []byte // how many \r are before the \n of each line, at most 255 of them; nil: none
	cr      bool   // the real endings are \r
}

// newPlainText returns the plain form of a text.
func newPlainText(text string) plainText {
	switch {
	case !strings.Contains(text, "\r"):
		return plainText{text: text}
	case !strings.Contains(text, "\n"):
		return plainText{text: strings.ReplaceAll(text, "\r", "\n"), cr: true}
	}
	p := plainText{returns: make([]byte, 0, strings.Count(text, "\n"))}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		body, ended := strings.CutSuffix(line, "\n")
		if !ended {
			b.WriteString(line)
			break
		}
		n := min(len(body)-len(strings.TrimRight(body, "\r")), 255)
		p.returns = append(p.returns, byte(n))
		b.WriteString(body[:len(body)-n])
		b.WriteByte('\n')
	}
	p.text = b.String()
	return p
}

// given returns the plain form of a part that a model gives: read does not show it the endings.
func (p plainText) given(part string) string {
	part = newPlainText(part + "\n").text
	part = part[:len(part)-1]
	if p.cr {
		part = strings.ReplaceAll(part, "\r", "\n")
	}
	return part
}

// atEnd returns old and its replacement without a \n at their end if old is the end of the text but
// for that: the last line of a text may have no ending, which read does not show.
func (p plainText) atEnd(old, replacement string) (string, string) {
	short, ended := strings.CutSuffix(old, "\n")
	if !ended || short == "" || !strings.HasSuffix(p.text, short) || strings.Contains(p.text, old) {
		return old, replacement
	}
	return short, strings.TrimSuffix(replacement, "\n")
}

// longest is the number of bytes of the longest ending.
func (p plainText) longest() int {
	if len(p.returns) == 0 {
		return 1
	}
	return 1 + int(slices.Max(p.returns))
}

// replace returns the text with each old replaced, and with its real endings. A line of the
// replacement has the ending of the line that it stands for.
func (p plainText) replace(old, replacement string) string {
	if len(p.returns) == 0 {
		text := strings.ReplaceAll(p.text, old, replacement)
		if p.cr {
			text = strings.ReplaceAll(text, "\n", "\r")
		}
		return text
	}
	var b strings.Builder
	b.Grow(len(p.text) + len(p.returns))
	oldLines, same := strings.Count(old, "\n"), sameLines(old, replacement)
	line := 0
	for rest := p.text; ; {
		before, after, found := strings.Cut(rest, old)
		p.write(&b, before, func(i int) int { return line + i })
		if !found {
			return b.String()
		}
		line += strings.Count(before, "\n")
		p.write(&b, replacement, func(i int) int { return line + same[i] })
		line += oldLines
		rest = after
	}
}

// write writes a part of a text; like says whose ending its i-th line has.
func (p plainText) write(b *strings.Builder, part string, like func(i int) int) {
	for i := 0; ; i++ {
		line, after, ended := strings.Cut(part, "\n")
		b.WriteString(line)
		if !ended {
			return
		}
		for range p.returns[min(like(i), len(p.returns)-1)] {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
		part = after
	}
}

// sameLines returns, for each line of the replacement that ends, the line of old for which it
// stands: the equal lines at the beginning and at the end stand for themselves, those between them
// for one another, and further ones for the last of those, or for the line before.
func sameLines(old, replacement string) []int {
	a, b := strings.Split(old, "\n"), strings.Split(replacement, "\n")
	n, m := len(a)-1, len(b)-1
	first, last := 0, 0
	for first < min(n, m) && a[first] == b[first] {
		first++
	}
	for last < min(n, m)-first && a[n-1-last] == b[m-1-last] {
		last++
	}
	same := make([]int, m)
	for i := range same {
		switch {
		case i < first:
			same[i] = i
		case i >= m-last:
			same[i] = i - m + n
		default:
			same[i] = max(min(i, n-last-1), first-1, 0)
		}
	}
	return same
}
