package permission

import (
	"cmp"
	"slices"
	"strings"
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
		case x.is(";") || x.is("+") && s.words[i].is("{}"):
			inner = append(inner, simple{source: s.source, words: foundWords(s.words[start : i+1]), call: s.call, first: s.first + start})
			start = -1
		case x.kind == spread || x.kind == globbed:
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
			if x := &in.words[k]; x.kind == dynamic && x.lead == "" {
				x.lead, _, _ = strings.Cut(x.text, "{}")
				x.lead = cmp.Or(x.lead, lead)
			}
		}
	}
	outer := s
	outer.words = own
	u := w.add(outer, nil, slices.Concat(s.outer, denyForms(s)))
	for i := range u.allows {
		u.allows[i].words = slices.Concat(u.allows[i].words[:len(u.allows[i].words)-len(own)-len(s.inputs)], s.words, s.inputs)
	}
	at := s.at
	if slices.ContainsFunc(own, func(x word) bool { return x.is("-execdir") || x.is("-okdir") }) {
		at = at.away()
	}
	for _, in := range inner {
		in.at = at
		w.inner(in)
	}
}

// foundLead returns what the names that find puts into commands begin with: the
// folder that it starts from. It is empty where that is not known, or may be a dash.
func foundLead(words []word) string {
	lead := "./"
	for i, x := range words[1:] {
		switch {
		case x.kind != static || strings.HasPrefix(x.text, "-files0"):
			return ""
		case i == 0 || lead == "./" && isLinkOption(words[i]):
			if !strings.HasPrefix(x.text, "-") && !isExpression(x) {
				lead = x.text
			}
		}
	}
	return lead
}

func isLinkOption(x word) bool { return x.is("-H") || x.is("-L") || x.is("-P") }

func isExpression(x word) bool { return x.is("(") || x.is("!") || x.is(",") || x.is("") }

func isExecPrimary(w word) bool {
	return w.is("-exec") || w.is("-execdir") || w.is("-ok") || w.is("-okdir")
}

// foundWords marks the words in which find puts the name of a file.
func foundWords(words []word) []word {
	out := slices.Clone(words)
	for i, x := range out {
		if strings.Contains(x.text, "{}") {
			out[i] = word{kind: dynamic, text: x.text}
		}
	}
	return out
}
