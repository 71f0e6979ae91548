package tree

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// At returns the position in the file of a byte of a scalar's text. The text and its source
// differ by quotes, escapes, folded lines and indentation, so both are walked side by side.
// Where they don't match, it is the last position that did.
func (n *Node) At(offset int) diagnostic.Position {
	w := newWalk(n)
	return w.to(offset)
}

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

// A walk goes through a scalar's text and its source, side by side.
type walk struct {
	node   *Node
	text   string // what is left of the node's text
	cursor cursor
}

// newWalk starts at the first character of the scalar, behind its quote or header.
func newWalk(n *Node) *walk {
	w := &walk{node: n, text: n.Text, cursor: cursor{line: n.Line, column: n.Column}}
	if n.Style == StyleBlock {
		w.cursor = cursor{line: n.Line + 1, column: 1}
	}
	w.cursor.rest = n.Src.From(w.cursor.line, w.cursor.column)
	if n.Style == styleSingle || n.Style == styleDouble {
		w.cursor.advance(min(1, len(w.cursor.rest)))
	}
	return w
}

// to walks to a byte of the text, which must not lie behind, and returns its position.
func (w *walk) to(offset int) diagnostic.Position {
	n := w.node
	for ahead := min(offset, len(n.Text)) - (len(n.Text) - len(w.text)); ahead > 0; {
		r, size := utf8.DecodeRuneInString(w.text)
		if !w.cursor.match(r, n.Style) {
			break
		}
		w.text = w.text[size:]
		ahead -= size
	}
	cursor := w.cursor
	if offset < len(n.Text) && !startsBlank(n.Text[offset:]) {
		cursor.skipBlanks()
	}
	return diagnostic.Position{File: n.Src.File, Line: cursor.line, Column: cursor.column}
}

// startsBlank reports whether a text begins with white space.
func startsBlank(s string) bool {
	return strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\n") || strings.HasPrefix(s, "\t")
}

// A cursor is a position in a file and the text from there on.
type cursor struct {
	rest         string
	line, column int
}

// advance moves over some bytes.
func (c *cursor) advance(size int) {
	for _, r := range c.rest[:size] {
		if r == '\n' {
			c.line++
			c.column = 1
		} else {
			c.column++
		}
	}
	c.rest = c.rest[size:]
}

// match moves over the source of one character of the text.
func (c *cursor) match(want rune, how style) bool {
	if unicode.IsSpace(want) {
		c.matchBlank(want, how)
		return true
	}
	c.skipBlanks()
	if how == styleDouble {
		for strings.HasPrefix(c.rest, "\\\n") { // a folded line without a space
			c.advance(1)
			c.skipBlanks()
		}
	}
	switch {
	case c.rest == "":
		return false
	case how == styleDouble && c.rest[0] == '\\':
		c.advance(min(escapeLength(c.rest), len(c.rest)))
		return true
	case how == styleSingle && strings.HasPrefix(c.rest, "''"):
		c.advance(2)
		return want == '\''
	}
	r, size := utf8.DecodeRuneInString(c.rest)
	c.advance(size)
	return r == want
}

// matchBlank moves over the source of one blank of the text: an escape, the same blank, or
// the folded end of a line.
func (c *cursor) matchBlank(want rune, how style) {
	if how == styleDouble && strings.HasPrefix(c.rest, "\\") && !strings.HasPrefix(c.rest, "\\\n") {
		c.advance(min(escapeLength(c.rest), len(c.rest)))
		return
	}
	r, size := utf8.DecodeRuneInString(c.rest)
	switch {
	case c.rest == "" || !unicode.IsSpace(r):
	case r == want:
		c.advance(size)
	default:
		c.skipBlanks()
	}
}

// skipBlanks moves over white space and the ends of lines.
func (c *cursor) skipBlanks() {
	trimmed := strings.TrimLeft(c.rest, " \t\n")
	c.advance(len(c.rest) - len(trimmed))
}

// escapeLength is the length of the escape sequence that s begins with.
func escapeLength(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case 'x':
		return 4
	case 'u':
		return 6
	case 'U':
		return 10
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	return 1 + size
}
