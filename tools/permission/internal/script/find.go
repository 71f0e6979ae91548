package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// find judges find, and every command that -exec and its like run.
func (w *walker) find(s simple) {
	start := -1
	var inner []simple
	own := s.words[:1:1]
	broken := false
	for i, x := range s.words[1:] {
		switch {
		case start < 0 && isExecPrimary(x):
			start = i + 2
			own = append(own, x)
		case start < 0:
			own = append(own, x)
		case x.Is(";") || x.Is("+") && s.words[i].Is("{}"):
			inner = append(inner, simple{source: s.source, words: foundWords(s.words[start : i+1]), call: s.call, first: s.first + start})
			start = -1
		case x.Kind == word.Spread || x.Kind == word.Globbed:
			broken = true
		}
	}
	if start >= 0 || broken {
		w.unreadable(s)
		return
	}
	if len(inner) == 0 {
		w.add(s, nil, nil)
		return
	}
	lead := foundLead(s.words)
	for _, in := range inner {
		for k := range in.words {
			if x := &in.words[k]; x.Kind == word.Dynamic && x.Lead == "" {
				x.Lead, _, _ = strings.Cut(x.Text, "{}")
				x.Lead = cmp.Or(x.Lead, lead)
			}
		}
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

// foundLead returns what the names that find puts into commands begin with: the
// folder that it starts from. It is empty where that is not known, or may be a dash.
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

// foundWords marks the words in which find puts the name of a file.
func foundWords(words []word.Word) []word.Word {
	out := slices.Clone(words)
	for i, x := range out {
		if strings.Contains(x.Text, "{}") {
			out[i] = word.Word{Kind: word.Dynamic, Text: x.Text}
		}
	}
	return out
}
