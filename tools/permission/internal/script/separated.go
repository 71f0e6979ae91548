package script

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// separated puts a -- before the words of a command that are not known, where the
// program takes what follows for operands and nothing else is meant by them: what runs
// is what was judged, and then none of them is an option.
func (w *walker) separated(s simple) []word.Word {
	known := program.Named(s.words[0].Text)
	first := slices.IndexFunc(s.words, word.Word.Unknown)
	if known.Bare == "" || first < 1 || s.call == nil || slices.ContainsFunc(s.words[first:], func(x word.Word) bool { return !x.Unknown() }) {
		return s.words
	}
	for _, x := range s.words[1:first] {
		if x.Kind != word.Static || x.IsOption() && strings.Trim(x.Text[1:], known.Bare) != "" {
			return s.words
		}
	}
	if w.dashes[s.call] != 0 || known.Scripts != nil && program.LastScript(s.words[0].Text, s.words) < 0 {
		return s.words
	}
	w.dashes[s.call] = s.first + first
	return slices.Insert(slices.Clone(s.words), first, word.Of("--"))
}
