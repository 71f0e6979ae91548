package script

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// simple is a simple command, or the command that a wrapper runs.
type simple struct {
	source  string
	assigns []assignment
	words   []word.Word
	inputs  []word.Word // the files that < names
	fed     bool        // it reads a here-document or a here-string
	at      Cwd
	piped   bool // it reads the output of another command
	// call is its node in the tree, and first the index of its first word there.
	call  *syntax.CallExpr
	first int
	// outer are forms of the wrappers around it, which deny and ask patterns match too.
	outer []program.Form
	// around are the words of transparent wrappers, which may name files.
	around []word.Word
}

// assignment is NAME=value before a command or alone.
type assignment struct {
	name  string
	value word.Word
	// odd says that it is more than NAME=value: a subscript or an array.
	odd bool
}

// word returns the assignment as a word of a command.
func (a assignment) word() word.Word {
	w := a.value
	w.Text = a.name + "=" + w.Text
	return w
}

// call walks a simple command of the tree.
func (w *walker) call(call *syntax.CallExpr, inputs []word.Word, fed bool, at Cwd) outcome {
	s := simple{source: w.text(call), inputs: inputs, fed: fed, at: at, call: call, piped: w.piped && !fed}
	w.piped = false
	for _, a := range call.Assigns {
		s.assigns = append(s.assigns, w.assignment(a, at))
	}
	vars := w.vars
	w.vars = nil // no variable may stand for the name of a command
	w.words(call.Args[:min(1, len(call.Args))], at)
	w.vars = vars
	w.words(call.Args[min(1, len(call.Args)):], at)
	words, ok := w.expand.ExpandAll(call.Args)
	if !ok {
		w.refuse("braces make too many words")
		return stays(at)
	}
	s.words = words
	return w.simple(s)
}

// assignment walks one assignment.
func (w *walker) assignment(a *syntax.Assign, at Cwd) assignment {
	out := assignment{odd: a.Index != nil || a.Array != nil}
	if a.Name != nil {
		out.name = a.Name.Value
	}
	w.arithmetic(a.Index, at)
	w.word(a.Value, at)
	out.value = w.expand.Whole(a.Value)
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			w.arithmetic(e.Index, at)
			w.word(e.Value, at)
		}
	}
	return out
}

// declaration walks export, declare and the like, whose arguments the parser takes for
// assignments.
func (w *walker) declaration(cmd *syntax.DeclClause, at Cwd) outcome {
	s := simple{source: w.text(cmd), at: at, words: []word.Word{word.Of(cmd.Variant.Value)}}
	for _, arg := range cmd.Args {
		a := w.assignment(arg, at)
		switch {
		case a.odd:
			w.construct(arg, "it sets an array or an element of one")
		case !arg.Naked:
			s.words = append(s.words, a.word())
		case arg.Name != nil:
			s.words = append(s.words, word.Of(a.name))
		default:
			words, ok := w.expand.Expand(arg.Value)
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
	if name.Kind == word.Static && !pattern.PrintableASCII(name.Text) {
		w.refuse("a command's name is empty or not printable ASCII")
		return stays(s.at)
	}
	if name.Kind != word.Static {
		w.add(s, []program.Risk{program.Unspellable("the command's name is not known before it runs")}, []program.Form{program.AnyForm})
		return outcome{s.at.away(), s.at.away()}
	}
	s.words = w.separated(s)
	if run := program.Named(name.Text).Wrapper; run != nil && run.Transparent {
		if start := run.Command(s.words); start > 0 {
			return w.transparent(s, start)
		}
	}
	return w.wrapped(s)
}

// add appends the unit of a command. extra are more forms for deny and ask patterns.
func (w *walker) add(s simple, risks []program.Risk, extra []program.Form) *Unit {
	u := &Unit{Source: s.source, Words: s.words, Inputs: s.inputs, Around: s.around, Name: program.NameOf(s.words[0]), At: s.at}
	if s.at.Lost && u.Name == "git" {
		risks = append(risks, program.Unspellable("git runs in a directory that is not known before it runs"))
	}
	u.NeedsNoRule = s.words[0].Kind == word.Static && (program.Named(s.words[0].Text).NeedsNoRule.Of(s.words) || isFilter(s))
	var own []program.Risk
	own, u.Outputs = program.RisksOf(s.words)
	u.Allows = allowForms(s, slices.Concat(risks, w.inputRisks(s), own))
	u.Own = denyForms(s)
	u.Forms = slices.Concat(s.outer, u.Own, extra)
	if program.EvaluatesSubscript(s.words) {
		u.Forms = append(u.Forms, program.AnyForm)
	}
	w.units = append(w.units, u)
	return u
}

// bare appends the unit of assignments without a command.
func (w *walker) bare(s simple) {
	u := &Unit{Source: s.source, NeedsNoRule: true, Inputs: s.inputs, At: s.at}
	var words []word.Word
	var risks []program.Risk
	for i, a := range s.assigns {
		words = append(words, a.word())
		switch {
		case a.odd:
			risks = append(risks, program.Unspellable("it sets an array or an element of one"))
		case !word.SetsFreely(a.name, a.value):
			risks = append(risks, program.Risk{At: i, Names: []string{a.name}, Why: "it sets the variable " + a.name})
		}
	}
	words = append(words, s.inputs...)
	u.Allows = []AllowForm{{Words: words, Risks: risks}}
	if len(words) > 0 {
		u.Own = []program.Form{program.FormOf(words)}
		u.Forms = u.Own
	}
	w.units = append(w.units, u)
}

// allowForms returns the forms of which an allow pattern has to cover one. Assignments
// are the first words; those of safe variables may be left out.
func allowForms(s simple, risks []program.Risk) []AllowForm {
	full, short, held := AllowForm{}, AllowForm{}, AllowForm{Level: program.WhenHeld}
	for _, a := range s.assigns {
		safe := a.isSafe(len(s.words) > 0 && s.words[0].Is("read"))
		full.add(a, safe)
		if !safe {
			short.add(a, safe)
		}
		if !safe && (a.odd || program.LevelOfVariable(a.name, a.value) != program.Unheld) {
			held.add(a, safe)
		}
	}
	forms := []AllowForm{short}
	if len(full.Words) != len(short.Words) {
		forms = append(forms, full)
	}
	if len(held.Words) != len(short.Words) {
		forms = append(forms, held)
	}
	for i := range forms {
		shift := len(forms[i].Words)
		for _, g := range risks {
			if g.At >= 0 {
				g.At += shift
			}
			forms[i].Risks = append(forms[i].Risks, g)
		}
		forms[i].Words = append(append(forms[i].Words, s.words...), s.inputs...)
		for _, in := range s.inputs {
			if in.Kind != word.Static && in.Kind != word.Opaque {
				forms[i].Risks = append(forms[i].Risks, unknownInput(in))
			}
		}
	}
	return forms
}

// isSafe reports whether the assignment may stand before any command. IFS may be set
// before read.
func (a assignment) isSafe(beforeRead bool) bool {
	switch {
	case a.odd:
		return false
	case word.IsHarmless(a.name, a.value):
		return true
	case a.value.Unknown():
		return false
	case a.name == "IFS":
		return beforeRead
	}
	return word.IsSafeVariable(a.name) && (!word.IsLocaleVariable(a.name) || word.IsPlainLocale(a.value))
}

// add appends an assignment to the words, and its risk.
func (f *AllowForm) add(a assignment, safe bool) {
	switch {
	case a.odd || a.value.Unknown():
		f.Risks = append(f.Risks, program.Unspellable("the value of "+a.name+" is not known before it runs"))
	case !safe:
		f.Risks = append(f.Risks, program.Risk{At: len(f.Words), Names: []string{a.name}, Why: "it sets the variable " + a.name})
	}
	f.Words = append(f.Words, a.word())
}

// denyForms returns the forms of a command that deny and ask patterns may match, without
// those of the wrappers around it.
func denyForms(s simple) []program.Form {
	var forms []program.Form
	if len(s.assigns) > 0 {
		var full []word.Word
		for _, a := range s.assigns {
			full = append(full, a.word())
		}
		forms = append(forms, program.FormOf(append(full, s.words...)))
	}
	if len(s.inputs) > 0 {
		forms = append(forms, program.Form{Name: s.words[0], Args: slices.Concat(s.words[1:], s.inputs)})
	}
	forms = append(forms, program.FormOf(s.words))
	if s.words[0].Kind != word.Static {
		return forms
	}
	key := word.Of(program.NameOf(s.words[0]))
	if key.Text != s.words[0].Text {
		forms = append(forms, program.Form{Name: key, Args: s.words[1:]})
	}
	if key.Text == "git" {
		forms = append(forms, program.GitForm(key, s.words))
	}
	if plain := program.Unversioned(key.Text); plain != key.Text && plain != "" {
		forms = append(forms, program.Form{Name: word.Of(plain), Args: s.words[1:]})
	}
	for _, f := range program.SameForms(key.Text, s.words) {
		forms = append(forms, program.Form{Name: key, Args: f.Args})
	}
	if carried := program.Carried(key.Text, s.words); len(carried) > 0 {
		forms = append(forms, denyForms(simple{words: carried})...)
	}
	return forms
}

// unknownInput returns the risk of a < whose file is not known before it runs.
func unknownInput(in word.Word) program.Risk {
	g := program.Unspellable("the file that < reads is not known before it runs")
	if !mayBeNetwork(in) {
		g.Level = program.Unheld
	}
	return g
}
