package program

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Filter is what a program at the end of a pipe may be given.
type Filter struct {
	Options string // letters
	Sets    int    // operands that name no file
}

// OnlyOptions reports whether words are short options out of some letters, their
// values, and at most so many operands. A value is a number, a list of fields or
// one character.
func OnlyOptions(words []word.Word, letters string, operands int) bool {
	valued := false // the word before may take this one as its value
	for _, w := range words {
		switch {
		case w.Kind != word.Static:
			return false
		case w.IsOption() && !strings.HasPrefix(w.Text, "--"):
			name, rest := w.Text[1:2], w.Text[2:]
			if strings.Trim(w.Text[1:], letters+"0123456789") != "" && (!strings.Contains(letters, name) || len(rest) > 1 && strings.Trim(rest, "0123456789,-.nr") != "") {
				return false
			}
			valued = true
		case valued && (strings.Trim(w.Text, "+0123456789,-.nr") == "" || len([]rune(w.Text)) == 1):
			valued = false
		case operands > 0:
			operands--
		default:
			return false
		}
	}
	return true
}
