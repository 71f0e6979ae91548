package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// simple is a simple command, or one that a wrapper runs.
type simple struct {
	source  string
	assigns []assignment
	words   []word
	inputs  []word             // the files that < names
	fed     []*syntax.Redirect // its here-documents and here-strings
	at      cwd
	piped   bool // it reads what another command writes
	// call is where the command stands in the tree, and first the place of its
	// first word among the words there.
	call  *syntax.CallExpr
	first int
	// outer are forms of the wrappers around it that deny and ask patterns are
	// tried on too.
	outer []form
	// outerReads are paths among the words of transparent wrappers.
	outerReads []pathWord
}

// assignment is NAME=value before a command or alone.
type assignment struct {
	name  string
	value word
	// odd says that it is more than NAME=value: a subscript or an array.
	odd bool
}

// word returns the assignment as a word of a command.
func (a assignment) word() word {
	w := a.value
	w.text = a.name + "=" + w.text
	return w
}

// call walks a simple command as it stands in the tree.
func (w *walker) call(call *syntax.CallExpr, inputs []word, fed []*syntax.Redirect, at cwd) outcome {
	s := simple{source: w.text(call), inputs: inputs, fed: fed, at: at, call: call, piped: w.piped && len(fed) == 0}
	w.piped = false
	for _, a := range call.Assigns {
		s.assigns = append(s.assigns, w.assignment(a, at))
	}
	vars := w.vars
	w.vars = nil // the name of a command is what stands there
	w.words(call.Args[:min(1, len(call.Args))], at)
	w.vars = vars
	w.words(call.Args[min(1, len(call.Args)):], at)
	words, ok := w.expand.expandAll(call.Args)
	if !ok {
		w.refuse("braces make too many words")
		return stays(at)
	}
	s.words = words
	return w.simple(s)
}

// assignment walks one assignment.
func (w *walker) assignment(a *syntax.Assign, at cwd) assignment {
	out := assignment{odd: a.Index != nil || a.Array != nil}
	if a.Name != nil {
		out.name = a.Name.Value
	}
	w.arithmetic(a.Index, at)
	w.word(a.Value, at)
	out.value = w.expand.whole(a.Value)
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			w.arithmetic(e.Index, at)
			w.word(e.Value, at)
		}
	}
	return out
}

// declaration walks export, declare and their like, whose arguments the parser
// takes for assignments.
func (w *walker) declaration(cmd *syntax.DeclClause, at cwd) outcome {
	s := simple{source: w.text(cmd), at: at, words: []word{staticWord(cmd.Variant.Value)}}
	for _, arg := range cmd.Args {
		a := w.assignment(arg, at)
		switch {
		case a.odd:
			w.construct(arg, "it sets an array or an element of one")
		case !arg.Naked:
			s.words = append(s.words, a.word())
		case arg.Name != nil:
			s.words = append(s.words, staticWord(a.name))
		default:
			words, ok := w.expand.expand(arg.Value)
			if !ok {
				w.refuse("braces make too many words")
			}
			s.words = append(s.words, words...)
		}
	}
	return w.simple(s)
}

// simple judges one simple command and what it runs.
func (w *walker) simple(s simple) outcome {
	w.count()
	if w.refused != "" {
		return stays(s.at)
	}
	if len(s.words) == 0 {
		w.bare(s)
		return stays(s.at)
	}
	name := s.words[0]
	if name.kind == static && !pattern.PrintableASCII(name.text) {
		w.refuse("a command's name is empty or not printable ASCII")
		return stays(s.at)
	}
	if name.kind != static {
		w.add(s, []risk{unspellable("the command's name is not known before it runs")}, suffixes(s.words))
		return outcome{s.at.away(), s.at.away()}
	}
	s.words = w.separated(s)
	if run := named(name.text).wrapper; run != nil && run.transparent {
		if start := run.command(s.words); start > 0 {
			return w.transparent(s, start)
		}
	}
	return w.wrapped(s)
}

// add lists the unit of a command. extra are more forms for deny and ask.
func (w *walker) add(s simple, risks []risk, extra []form) *unit {
	u := &unit{source: s.source, words: s.words, name: programName(s.words[0]), at: s.at}
	if s.at.lost && u.name == "git" {
		risks = append(risks, unspellable("git runs in a directory that is not known before it runs"))
	}
	u.needsNoRule = s.words[0].kind == static && (named(s.words[0].text).needsNoRule.of(s.words) || isFilter(s))
	var writeRisks []risk
	u.writes, writeRisks = w.operands(s.words, s.at)
	u.anywhere = named(u.name).writes != 0 && !named(u.name).noContent &&
		(len(writeRisks) > 0 || slices.ContainsFunc(u.writes, func(t writeTarget) bool { return t.later }))
	w.inPlace(u, s.at)
	w.noteLinks(s.words, s.at)
	w.noteRepository(u, s.at)
	u.allows = allowForms(s, slices.Concat(risks, w.inputRisks(s), w.outputs(u, risksOf(s.words), s.at), writeRisks))
	u.own = append(denyForms(s), w.placedForms(s)...)
	u.forms = slices.Concat(s.outer, u.own, extra)
	if evaluatesSubscript(s.words) {
		u.forms = append(u.forms, anyForm)
	}
	u.reads = slices.Concat(s.outerReads, w.readWords(s), w.treeWords(u, s.words, s.at))
	w.units = append(w.units, u)
	return u
}

// bare judges assignments that stand alone.
func (w *walker) bare(s simple) {
	u := &unit{source: s.source, needsNoRule: true}
	var words []word
	var risks []risk
	for i, a := range s.assigns {
		words = append(words, a.word())
		switch {
		case a.odd:
			risks = append(risks, unspellable("it sets an array or an element of one"))
		case !setsFreely(a.name, a.value):
			risks = append(risks, risk{at: i, names: []string{a.name}, why: "it sets the variable " + a.name})
		}
	}
	words = append(words, s.inputs...)
	u.allows = []allowForm{{words: words, risks: risks}}
	if len(words) > 0 {
		u.own = []form{formOf(words)}
		u.forms = u.own
	}
	u.reads = w.readWords(s)
	w.units = append(w.units, u)
}

// allowForms returns what an allow pattern has to cover: the assignments count
// as first words, those of safe variables may be left out.
func allowForms(s simple, risks []risk) []allowForm {
	full, short, held := allowForm{}, allowForm{}, allowForm{level: whenHeld}
	for _, a := range s.assigns {
		safe := isSafeVariable(a.name) && !a.odd && !a.value.unknown() && (!isLocaleVariable(a.name) || isPlainLocale(a.value)) ||
			!a.odd && isHarmless(a.name, a.value) || a.name == "IFS" && len(s.words) > 0 && s.words[0].is("read") && !a.odd && !a.value.unknown()
		full.add(a, safe)
		if !safe {
			short.add(a, safe)
		}
		if !safe && (a.odd || levelOfVariable(a.name, a.value) != unheld) {
			held.add(a, safe)
		}
	}
	forms := []allowForm{short}
	if len(full.words) != len(short.words) {
		forms = append(forms, full)
	}
	if len(held.words) != len(short.words) {
		forms = append(forms, held)
	}
	for i := range forms {
		shift := len(forms[i].words)
		for _, g := range risks {
			if g.at >= 0 {
				g.at += shift
			}
			forms[i].risks = append(forms[i].risks, g)
		}
		forms[i].words = append(append(forms[i].words, s.words...), s.inputs...)
		for _, in := range s.inputs {
			if in.kind != static && in.kind != opaque {
				forms[i].risks = append(forms[i].risks, unknownInput(in))
			}
		}
	}
	return forms
}

// add puts an assignment before the command.
func (f *allowForm) add(a assignment, safe bool) {
	switch {
	case a.odd || a.value.unknown():
		f.risks = append(f.risks, unspellable("the value of "+a.name+" is not known before it runs"))
	case !safe:
		f.risks = append(f.risks, risk{at: len(f.words), names: []string{a.name}, why: "it sets the variable " + a.name})
	}
	f.words = append(f.words, a.word())
}

// denyForms returns the readings of a command that deny and ask patterns are
// tried on, but for those of the wrappers around it.
func denyForms(s simple) []form {
	var forms []form
	if len(s.assigns) > 0 {
		var full []word
		for _, a := range s.assigns {
			full = append(full, a.word())
		}
		forms = append(forms, formOf(append(full, s.words...)))
	}
	if len(s.inputs) > 0 {
		forms = append(forms, form{s.words[0], slices.Concat(s.words[1:], s.inputs)})
	}
	forms = append(forms, formOf(s.words))
	if s.words[0].kind != static {
		return forms
	}
	key := staticWord(programName(s.words[0]))
	if key.text != s.words[0].text {
		forms = append(forms, form{key, s.words[1:]})
	}
	if key.text == "git" {
		forms = append(forms, gitForm(key, s.words))
	}
	for _, f := range sameForms(key.text, s.words) {
		forms = append(forms, form{key, f.args})
	}
	return forms
}

// placedForms returns a command with its paths as they are named from the
// workspace: a rule that denies private/* means the files, however they are
// reached.
func (w *walker) placedForms(s simple) []form {
	if !w.policy.deniesPaths() || s.words[0].kind != static || isTextOnly(s.words) {
		return nil
	}
	out := make([]word, len(s.words)-1)
	changed := false
	for i, x := range s.words[1:] {
		out[i] = x
		if x.kind != static || x.isOption() || x.text == "" {
			continue
		}
		for _, at := range w.placesOf(literalPath(x), s.at) {
			if at.Inside && at.Rel != x.text {
				out[i], changed = staticWord(at.Rel), true
			}
		}
	}
	if !changed {
		return nil
	}
	return []form{{staticWord(programName(s.words[0])), out}}
}

// deniesPaths reports whether a rule denies or asks about commands with words
// that look like paths.
func (p *Policy) deniesPaths() bool {
	return slices.ContainsFunc(p.domains, func(d *domain) bool {
		return d.bash != nil && slices.ContainsFunc(d.bash.patterns, func(p bashPattern) bool {
			return p.verdict != Allow && slices.ContainsFunc(p.words[1:], func(w patternWord) bool { return strings.ContainsAny(w.text, "/.") })
		})
	})
}

// suffixes returns a command from each of its words on: when it cannot be told
// where the inner command of a wrapper begins, it may be any of them.
func suffixes(words []word) []form {
	var out []form
	for i, x := range words {
		if base, cut := lastElement(x); cut {
			out = append(out, form{base, words[i+1:]})
		}
		out = append(out, form{x, words[i+1:]})
	}
	return out
}

// lastElement cuts a name to its last path element.
func lastElement(x word) (base word, cut bool) {
	switch x.kind {
	case static:
		key := programName(x)
		return staticWord(key), strings.Contains(x.text, "/")
	case globbed:
		for i := len(x.atoms) - 1; i >= 0; i-- {
			if x.atoms[i].Is('/') {
				x.atoms = x.atoms[i+1:]
				return x, true
			}
		}
	}
	return x, false
}
