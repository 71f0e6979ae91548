package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// find walks find, and each command that -exec and the like run.
func (w *walker) find(s simple) {
	own, inner, ok := foundCommands(s)
	switch {
	case !ok:
		w.unreadable(s)
		return
	case len(inner) == 0:
		w.add(s, nil, nil)
		return
	}
	outer := s
	outer.words = own
	u := w.add(outer, nil, slices.Concat(s.outer, denyForms(s)))
	for i := range u.Allows {
		u.Allows[i].Words = slices.Concat(u.Allows[i].Words[:len(u.Allows[i].Words)-len(own)-len(s.inputs)], s.words, s.inputs)
	}
	at := s.at
	if slices.ContainsFunc(own, func(x word.Word) bool { return x.Is("-execdir") || x.Is("-okdir") }) {
		at = at.away()
	}
	for _, in := range inner {
		in.at = at
		w.inner(in)
	}
}

// foundCommands separates the words of find from the commands that it runs. ok is false
// when it can't.
func foundCommands(s simple) (own []word.Word, inner []simple, ok bool) {
	start := -1 // of the command
	own = s.words[:1:1]
	lead := foundLead(s.words)
	for i, x := range s.words[1:] {
		switch {
		case start < 0:
			if own = append(own, x); isExecPrimary(x) {
				start = i + 2
			}
		case x.Is(";") || x.Is("+") && s.words[i].Is("{}"):
			inner = append(inner, simple{source: s.source, words: foundWords(s.words[start:i+1], lead), call: s.call, first: s.first + start})
			start = -1
		case x.Kind == word.Spread || x.Kind == word.Globbed:
			return nil, nil, false
		}
	}
	return own, inner, start < 0
}

// foundLead returns the beginning of the names that find puts into commands: the folder
// that it starts from. It is "" when that is not known, or may be an option.
func foundLead(words []word.Word) string {
	lead := "./"
	for i, x := range words[1:] {
		switch {
		case x.Kind != word.Static || strings.HasPrefix(x.Text, "-files0"):
			return ""
		case i == 0 || lead == "./" && isLinkOption(words[i]):
			if !strings.HasPrefix(x.Text, "-") && !isExpression(x) {
				lead = x.Text
			}
		}
	}
	return lead
}

func isLinkOption(x word.Word) bool { return x.Is("-H") || x.Is("-L") || x.Is("-P") }

func isExpression(x word.Word) bool { return x.Is("(") || x.Is("!") || x.Is(",") || x.Is("") }

func isExecPrimary(w word.Word) bool {
	return w.Is("-exec") || w.Is("-execdir") || w.Is("-ok") || w.Is("-okdir")
}

// foundWords marks the words into which find puts the name of a file, and sets the Lead
// of words that are not known.
func foundWords(words []word.Word, lead string) []word.Word {
	out := slices.Clone(words)
	for i, x := range out {
		if strings.Contains(x.Text, "{}") {
			out[i] = word.Word{Kind: word.Dynamic, Text: x.Text}
		}
		if x := &out[i]; x.Kind == word.Dynamic && x.Lead == "" {
			x.Lead, _, _ = strings.Cut(x.Text, "{}")
			x.Lead = cmp.Or(x.Lead, lead)
		}
	}
	return out
}
