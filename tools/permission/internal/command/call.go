package command

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// simple is a simple command, or the command that a wrapper runs.
type simple struct {
	source  string
	assigns []assignment
	words   []Word
	own     []Word // those of the program itself; nil is all
	texts   []int  // the indexes of those that are judged otherwise, and name no file
	inputs  []Word // the files that < names
	piped   bool   // it reads the output of another command
	// printed are the words as they are printed, with an empty one behind them for what xargs adds; a
	// command that runs this one has them, too.
	printed []string
	// outer are forms of the wrappers around it, which deny and ask patterns match too, and
	// around their words.
	outer  [][]Word
	around []Word
}

// call walks a simple command of the tree. lasts says that what it assigns stays assigned.
func (w *walker) call(c *syntax.CallExpr, inputs []Word, lasts bool) string {
	s := simple{source: w.text(c), inputs: inputs, piped: w.piped}
	w.piped = false
	var printed []string
	for _, a := range c.Assigns {
		assigned, ok := w.assignment(a, len(c.Args) > 0)
		if !ok {
			w.inside(a)
			continue
		}
		form := assigned.name + "="
		if a.Append {
			form = assigned.name + "+="
		} else if len(c.Args) == 0 && lasts && assigned.value.known() {
			w.set(assigned.name, assigned.value)
		}
		printed = append(printed, form+assigned.value.form)
		s.assigns = append(s.assigns, assigned)
	}
	w.naming = true
	s.words = w.words(c.Args[:min(1, len(c.Args))])
	w.naming = false
	s.words = append(s.words, w.words(c.Args[min(1, len(c.Args)):])...)
	if len(s.words) == 0 {
		w.count()
		w.addFiles(s.source, inputs)
		return strings.Join(printed, " ")
	}
	for _, x := range s.words {
		s.printed = append(s.printed, x.form)
	}
	s.printed = append(s.printed, "")
	w.simple(s)
	printed = slices.DeleteFunc(append(printed, s.printed...), func(form string) bool { return form == "" })
	return strings.TrimRight(strings.Join(printed, " "), " ")
}

// assignment walks one assignment. before says that it stands before a command.
func (w *walker) assignment(a *syntax.Assign, before bool) (out assignment, ok bool) {
	if a.Index != nil || a.Array != nil || a.Name == nil || a.Naked {
		w.outside("an array")
		return out, false
	}
	out = assignment{a.Name.Value, w.whole(a.Value)}
	if !before && !isOwnVariable(out.name) && !out.onlyShows() {
		w.outside("the variable " + out.name + " for all that follows (write it before the command that needs it, or in lower case)")
	}
	return out, true
}

// simple takes apart one simple command and what it runs.
func (w *walker) simple(s simple) {
	if w.count(); w.refused != "" {
		return
	}
	name := s.words[0]
	switch {
	case name.Kind == Static && !pattern.PrintableASCII(name.Text):
		w.refuse("a command's name is empty or not printable ASCII")
		return
	case name.Kind != Static:
		w.add(s, []Risk{unspellable("the command's name is not known before it runs")}, [][]Word{anyForm})
		w.lose()
		return
	}
	p := Named(nameOf(name))
	s.words = w.dashed(s, p)
	w.then = w.at
	switch {
	case p.list("outside").has("*") || name.Text == "read" && !isPlainRead(s.words[1:]):
		w.outside(name.Text)
		w.add(s, nil, nil)
		if name.Text == "eval" || name.Text == "trap" {
			w.evaluated(s.words[1:])
		}
		w.lose()
	case nameOf(name) == "cd":
		w.changeDir(s)
	case list("pushd popd . source").has(nameOf(name)):
		w.sourced(s, p)
	case p.facts["wraps"] == "found":
		w.find(s)
	case p.facts["wraps"] == "string":
		w.shellString(s)
	case p.facts["wraps"] != "":
		w.wrapper(s, p)
	case strings.HasPrefix(name.Text, "-"): // time -- x runs x, but the parser takes -- for a name
		w.unreadable(s)
	default:
		w.add(s, nil, nil)
	}
}

// sourced adds a command that changes the shell: its folders, or by a script that it reads.
func (w *walker) sourced(s simple, p *Program) {
	var forms [][]Word
	if p.Class == "interpreter" {
		forms = formsOf(s.words[1:])
	}
	w.add(s, nil, forms)
	w.lose()
}

// evaluated walks the script that the words of eval and trap make.
func (w *walker) evaluated(words []Word) {
	var texts []string
	for _, x := range words {
		if x.Kind == Static && x.Text != "--" {
			texts = append(texts, x.Text)
		}
	}
	if text := strings.Join(texts, " "); strings.TrimSpace(text) != "" {
		w.scriptString(text)
	}
}

// lose says that the directory is not known from here on.
func (w *walker) lose() {
	w.at = w.at.away()
	w.then = w.at
}

// changeDir walks cd.
func (w *walker) changeDir(s simple) {
	args := s.words[1:]
	if len(args) > 0 && args[0].Is("--") {
		args = args[1:]
	}
	next, ok := w.at, false
	var risks []Risk
	if len(args) == 1 && args[0].Kind == Static && args[0].Text != "" && args[0].Text[0] != '-' {
		if next, ok = w.at.enter(w.roots, args[0].Text); !ok {
			why := "it leads out of the workspace"
			if w.at.Lost {
				why = "the folder that it starts from is not known here"
			}
			risks = append(risks, unspellable(why))
			w.at = w.at.or(Cwd{Dirs: []string{place.Lookup(w.roots, args[0].Text, w.at.Dirs[0]).Canonical}})
		}
	} else {
		risks = append(risks, unspellable("it changes to a directory that is not known before it runs"))
	}
	w.add(s, risks, nil)
	if ok = ok && len(s.assigns) == 0; !ok {
		next = w.at.away()
	}
	w.then, w.at = next, next.or(w.at)
}

// add appends the part of a command. extra are more forms for deny and ask patterns.
func (w *walker) add(s simple, risks []Risk, extra [][]Word) {
	own := s.words
	if s.own != nil {
		own = s.own
	}
	p := &Part{Source: s.source, own: own, wraps: len(own) < len(s.words), program: unlisted, At: w.at}
	if s.words[0].Kind == Static {
		p.program = ofCommand(own)
		p.NeedsNoRule = needsNoRule(own) || isFilter(s)
		risks = append(risks, w.risks(own)...)
		if p.program.is("stdin") && (w.fed || len(s.inputs) > 0) {
			risks = append(risks, unspellable("it runs what it is fed"))
		}
		if !w.held {
			risks = append(risks, p.write(p.program.written(own))...)
		}
	}
	p.Allows = w.allowForms(s, risks)
	p.Own = denyForms(s)
	p.Forms = slices.Concat(s.outer, p.Own, extra)
	p.Reads = slices.Concat(s.inputs, s.around)
	if !p.TextOnly() {
		texts := append(p.program.texts(own), s.texts...)
		for i, x := range own {
			if (i > 0 || strings.Contains(x.Text, "/")) && !slices.Contains(texts, i) {
				p.Reads = append(p.Reads, x)
			}
		}
	}
	w.script.Parts = append(w.script.Parts, p)
}

// write notes the files that a command writes by name, and returns the risk if there are
// others.
func (p *Part) write(words []Word) (risks []Risk) {
	for _, x := range words {
		switch {
		case x.Kind == Static:
			p.Writes = append(p.Writes, x)
		case !x.Plain && risks == nil:
			risks = []Risk{{At: -1, Why: "a file that it writes is not known before it runs", Files: true}}
		}
	}
	return risks
}

// allowForms returns the forms of which an allow pattern has to cover one. Assignments are
// the first words; those that may stand before any command may be left out.
func (w *walker) allowForms(s simple, risks []Risk) (forms []AllowForm) {
	free := func(a assignment) bool { return a.isFree(s.words[0], w.held) }
	for _, assigns := range [][]assignment{slices.DeleteFunc(slices.Clone(s.assigns), free), s.assigns} {
		var f AllowForm
		for i, a := range assigns {
			switch f.Words = append(f.Words, a.word()); {
			case !a.value.known():
				f.Risks = append(f.Risks, unspellable("the value of "+a.name+" is not known before it runs"))
			case !free(a):
				f.Risks = append(f.Risks, Risk{At: i, Names: []string{a.name}, Why: "it sets the variable " + a.name})
			}
		}
		for _, g := range risks {
			if g.At >= 0 {
				g.At += len(assigns)
			}
			f.Risks = append(f.Risks, g)
		}
		f.Words = slices.Concat(f.Words, s.words, s.inputs)
		for _, in := range s.inputs {
			if !in.known() {
				f.Risks = append(f.Risks, unknownInput(in))
			}
		}
		forms = append(forms, f)
	}
	return forms
}

// denyForms returns the forms of a command that deny and ask patterns may match: with its
// assignments and inputs, without, without a path before the
// name, and with git's subcommand first.
func denyForms(s simple) [][]Word {
	var forms [][]Word
	if len(s.assigns) > 0 {
		var full []Word
		for _, a := range s.assigns {
			full = append(full, a.word())
		}
		forms = append(forms, append(full, s.words...))
	}
	if len(s.inputs) > 0 {
		forms = append(forms, slices.Concat(s.words, s.inputs))
	}
	forms = append(forms, s.words)
	if s.words[0].Kind != Static {
		return forms
	}
	name := nameOf(s.words[0])
	if name != s.words[0].Text {
		forms = append(forms, slices.Concat([]Word{Of(name)}, s.words[1:]))
	}
	if name == "git" {
		after := anyForm
		if _, at, known := Named("git").sub(s.words); known {
			after = s.words[at:]
		}
		forms = append(forms, slices.Concat([]Word{Of(name)}, after))
	}
	return forms
}

// needsNoRule reports whether a command does nothing that a rule could be about.
func needsNoRule(words []Word) bool {
	switch words[0].Text {
	case ":", "true", "false", "exit", "break", "continue", "test", "[", "[[", "cd":
		return true
	case "set":
		return plainSet.MatchString(joined(words[1:]))
	case "read":
		return isPlainRead(words[1:])
	}
	return false
}

// plainSet and plainRead match the arguments of set with no options but -e, -u, -x and -o
// pipefail, and those of read with variables, and no option but -r and -d.
var (
	plainSet  = regexp.MustCompile(`^(-[eux]+\x00|-[eux]*o\x00pipefail\x00)+$`)
	plainRead = regexp.MustCompile(`^(?:-r\x00|-d\x00[^\x00]*\x00)*((?:\w+\x00)+)$`)
)

// joined returns known words with a NUL behind each, and "" if one is not known.
func joined(words []Word) string {
	var out strings.Builder
	for _, x := range words {
		if x.Kind != Static {
			return ""
		}
		out.WriteString(x.Text + "\x00")
	}
	return out.String()
}

// isPlainRead reports whether read sets variables of the script's own.
func isPlainRead(args []Word) bool {
	match := plainRead.FindStringSubmatch(joined(args))
	return match != nil && !slices.ContainsFunc(strings.Split(strings.TrimSuffix(match[1], "\x00"), "\x00"), func(name string) bool { return !isOwnVariable(name) })
}

// isFilter reports whether a command at the end of a pipe only reads the pipe: neither an
// operand nor an option names a file.
func isFilter(s simple) bool {
	p := Named(s.words[0].Text)
	args := joined(s.words[1:])
	return s.piped && len(s.inputs)+len(s.assigns) == 0 && p.filter != nil && (args != "" || len(s.words) == 1) && p.filter.MatchString(args)
}

// dashed returns the words of a held command with a -- before those that may become options,
// if the program takes all that follows for operands. The -- is printed, too.
func (w *walker) dashed(s simple, p *Program) []Word {
	if p.subs != nil {
		p = ofCommand(s.words)
	}
	at, operands := slices.IndexFunc(s.words, Word.mayBeOption), p.operands(s.words)
	if !p.is("dash") || !slices.Contains(operands, at) || p.is("code") && operands[0] >= at {
		return s.words
	}
	for i, x := range s.words {
		unclear := i > at || x.Kind != Static || p.length(x.Text) == unreadable && !strings.Contains(x.Text, "=")
		if i > 0 && i != at && x.isOption() && unclear || x.Is("--") {
			return s.words
		}
	}
	s.printed[at] = "-- " + s.printed[at]
	return slices.Insert(slices.Clone(s.words), at, Of("--"))
}
