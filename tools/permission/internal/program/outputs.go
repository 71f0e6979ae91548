package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// OutputOption says which options of a program take the one file that it writes.
// They need no rule that spells them where the write rules allow that file.
type OutputOption struct {
	Short string   // a letter, with its value glued or behind it
	Long  []string // with two dashes
	Flags []string // of Go programs
}

// File returns the word that an option names as its output.
func (o OutputOption) File(words []word.Word, g Risk) (file word.Word, ok bool) {
	at := g.At
	text := words[at].Text
	if cluster := len(g.Names) == 1 && !strings.HasPrefix(text, "--") && o.Short != "" && strings.HasSuffix(text, o.Short); cluster {
		text = "-" + o.Short // the last of several letters
	}
	name, value, glued := strings.Cut(text, "=")
	long := slices.Contains(o.Long, name) || len(o.Flags) > 0 && slices.Contains(o.Flags, strings.TrimLeft(name, "-"))
	switch {
	case long && glued:
		return word.Of(value), true
	case !long && (o.Short == "" || !strings.HasPrefix(text, "-"+o.Short)):
		return word.Word{}, false
	case !long && len(text) > 2:
		return word.Of(text[2:]), true
	case at+1 < len(words):
		return words[at+1], true
	}
	return word.Word{}, false
}
