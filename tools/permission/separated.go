package permission

import (
	"slices"
	"strings"
)

// separated puts a -- before the words of a command that are not known, where the
// program takes what follows for operands and nothing else is meant by them: what runs
// is what was judged, and then none of them is an option.
func (w *walker) separated(s simple) []word {
	known := named(s.words[0].text)
	first := slices.IndexFunc(s.words, word.unknown)
	if known.bare == "" || first < 1 || s.call == nil || slices.ContainsFunc(s.words[first:], func(x word) bool { return !x.unknown() }) {
		return s.words
	}
	for _, x := range s.words[1:first] {
		if x.kind != static || x.isOption() && strings.Trim(x.text[1:], known.bare) != "" {
			return s.words
		}
	}
	if w.dashes[s.call] != 0 || known.scripts != nil && lastScript(s.words[0].text, s.words) < 0 {
		return s.words
	}
	w.dashes[s.call] = s.first + first
	return slices.Insert(slices.Clone(s.words), first, staticWord("--"))
}
