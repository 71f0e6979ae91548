package permission

import (
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
