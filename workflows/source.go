package workflows

import (
	"strings"
	"unicode/utf8"
)

// A source is the text of one file.
type source struct {
	file   string
	text   string // with line feeds only, without a byte order mark
	starts []int  // where each line begins
}

// newSource makes all line ends one: a line ends where the YAML library ends it.
func newSource(file, text string) *source {
	text = strings.TrimPrefix(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\ufeff")
	s := &source{file: file, text: text, starts: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	return s
}

// line gives the text of a line, counted from 1, or "" when there is none.
func (s *source) line(number int) string {
	line, _, _ := strings.Cut(s.from(number, 1), "\n")
	return strings.ToValidUTF8(line, "\uFFFD")
}

// from gives the text that begins at a place.
func (s *source) from(line, column int) string {
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
