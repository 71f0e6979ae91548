package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// readsScript judges a shell that is given no string. Where it reads a script
// from its standard input, deny and ask patterns are tried on the commands in
// that, and where it cannot be told all of them hit.
func (w *walker) readsScript(s simple, operand int) {
	if operand < len(s.words) {
		w.add(s, nil, nil)
		return
	}
	forms := []form{}
	for _, body := range s.fed {
		text, known := w.expand.body(body)
		if known {
			var more []form
			more, known = w.formsIn(text, s.at)
			forms = append(forms, more...)
		}
		if !known {
			forms = append(forms, anyForm)
		}
	}
	if len(forms) == 0 {
		forms = append(forms, anyForm)
	}
	w.add(s, nil, forms)
}

// formsIn returns the readings of all commands in a script that needs no rule.
func (w *walker) formsIn(script string, at cwd) (forms []form, ok bool) {
	inner := &walker{policy: w.policy, expand: w.expand, budget: w.budget, depth: w.depth + 1, places: w.places, listings: w.listings, strings: w.strings, dotglob: true, globstar: true}
	if inner.depth > maxDepth {
		return nil, false
	}
	inner.script(script, at, false)
	for _, u := range inner.units {
		forms = append(forms, u.forms...)
	}
	return forms, inner.never == ""
}

// fed returns the here-documents and here-strings of a statement.
func fed(stmt *syntax.Stmt) (bodies []*syntax.Redirect) {
	for _, r := range stmt.Redirs {
		if r.Hdoc != nil || r.Op == syntax.WordHdoc {
			bodies = append(bodies, r)
		}
	}
	return bodies
}

// body returns the text of a here-document or a here-string, where nothing in
// it is expanded.
func (e expander) body(r *syntax.Redirect) (text string, known bool) {
	if r.Hdoc == nil {
		w := e.whole(r.Word)
		return w.text, w.kind == static
	}
	text = r.Hdoc.Lit()
	return text, text != "" && !strings.Contains(text, `\`)
}
