package tree

import (
	"strings"
	"unicode/utf8"
)

// A Source is the text of one file.
type Source struct {
	File   string
	text   string // with line feeds only, without a byte order mark
	starts []int  // where each line begins
}

// NewSource normalizes the ends of lines to those that the YAML library knows.
func NewSource(file, text string) *Source {
	text = strings.TrimPrefix(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\ufeff")
	s := &Source{File: file, text: text, starts: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	return s
}

// Lines is the number of lines, at least one.
func (s *Source) Lines() int { return len(s.starts) }

// line returns the text of a line, counted from 1; "" for none.
func (s *Source) line(number int) string {
	line, _, _ := strings.Cut(s.From(number, 1), "\n")
	return strings.ToValidUTF8(line, "\uFFFD")
}

// From returns the text from a position on.
func (s *Source) From(line, column int) string {
	if line < 1 || line > len(s.starts) {
		return ""
	}
	rest := s.text[s.starts[line-1]:]
	for ; column > 1 && rest != ""; column-- {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	return rest
}

// OpenMark begins an expression in a string.
const OpenMark = "${{"
