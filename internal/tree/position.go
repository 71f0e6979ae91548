package tree

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// Comment returns the comment behind a plain scalar on its last line, from its #, or "". A
// " #" that is meant as text begins one, too.
func (n *Node) Comment() string {
	if n.Style != StylePlain {
		return ""
	}
	at := n.At(len(n.Text))
	rest, _, _ := strings.Cut(strings.TrimLeft(n.Src.From(at.Line, at.Column), " \t"), "\n")
	if !strings.HasPrefix(rest, "#") {
		return ""
	}
	return strings.TrimRight(rest, " \t\r")
}

// A place is a byte of a scalar's text, with its position in the file.
type place struct{ offset, line, column int }

// At returns the position in the file of a byte of a scalar's text.
func (n *Node) At(offset int) diagnostic.Position {
	return n.position(n.move(n.start(), offset))
}

func (n *Node) position(at place) diagnostic.Position {
	return diagnostic.Position{File: n.Src.File, Line: at.line, Column: at.column}
}

// start is the place of the first character, behind the quote or the header.
func (n *Node) start() place {
	switch n.Style {
	case StyleBlock:
		return place{0, n.Line + 1, 1}
	case styleSingle, styleDouble:
		return place{0, n.Line, n.Column + 1}
	}
	return place{0, n.Line, n.Column}
}

// move returns the place of a byte of the text, from one that is not behind it. The text and its source
// differ by quotes, escapes, folded lines and indentation, so that the visible characters are counted in both. A
// blank is where the character before it ends.
func (n *Node) move(at place, offset int) place {
	offset = min(offset, len(n.Text))
	rest := n.Src.From(at.line, at.column)
	advance := func(size int) {
		for _, r := range rest[:size] {
			at.column++
			if r == '\n' {
				at.line, at.column = at.line+1, 1
			}
		}
		rest = rest[size:]
	}
	left := countVisible(n.Text[at.offset:offset])
	next, _ := utf8.DecodeRuneInString(n.Text[offset:])
	for rest != "" && (left > 0 || offset < len(n.Text) && !unicode.IsSpace(next)) {
		size, isVisible := n.character(rest)
		if isVisible && left == 0 {
			break
		}
		if advance(size); isVisible {
			left--
		}
	}
	at.offset = offset
	return at
}

func countVisible(text string) (count int) {
	for _, r := range text {
		if !unicode.IsSpace(r) {
			count++
		}
	}
	return count
}

// escapes matches an escape in double quotes, with the number of its character.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|.)`)
})

// character returns the length of the source of a character of the text, and whether it is visible: no blank, and
// no break of a line that is folded.
func (n *Node) character(source string) (size int, isVisible bool) {
	r, size := utf8.DecodeRuneInString(source)
	switch {
	case n.Style == styleDouble && r == '\\':
		if escape := escapes().FindStringSubmatch(source); escape != nil {
			digits := strings.Join(escape[1:], "")
			number, _ := strconv.ParseUint(digits, 16, 32)
			isBlank := digits == "" && strings.ContainsAny(escape[0][1:], " \t\nntrvf_NLP") || digits != "" && unicode.IsSpace(rune(number))
			return len(escape[0]), !isBlank
		}
	case n.Style == styleSingle && strings.HasPrefix(source, "''"):
		return len("''"), true
	}
	return size, !unicode.IsSpace(r)
}
