package permission

import "strings"

// filter is what a program at the end of a pipe may be given.
type filter struct {
	options string // letters
	sets    int    // operands that name no file
}

// isFilter reports whether a command at the end of a pipe does nothing but read
// what it is fed: it names no file, and its options neither.
func isFilter(s simple) bool {
	if !s.piped || len(s.inputs)+len(s.assigns) > 0 {
		return false
	}
	f := named(s.words[0].text).filter
	return f != nil && onlyOptions(s.words[1:], f.options, f.sets)
}

// onlyOptions reports whether words are short options out of some letters, their
// values, and at most so many operands. A value is a number, a list of fields or
// one character.
func onlyOptions(words []word, letters string, operands int) bool {
	valued := false // the word before may take this one as its value
	for _, w := range words {
		switch {
		case w.kind != static:
			return false
		case w.isOption() && !strings.HasPrefix(w.text, "--"):
			name, rest := w.text[1:2], w.text[2:]
			if strings.Trim(w.text[1:], letters+"0123456789") != "" && (!strings.Contains(letters, name) || len(rest) > 1 && strings.Trim(rest, "0123456789,-.nr") != "") {
				return false
			}
			valued = true
		case valued && (strings.Trim(w.text, "+0123456789,-.nr") == "" || len([]rune(w.text)) == 1):
			valued = false
		case operands > 0:
			operands--
		default:
			return false
		}
	}
	return true
}
