package script

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// transparent walks the inner command of a wrapper that needs no rule.
func (w *walker) transparent(s simple, start int) outcome {
	inner := s
	inner.words, inner.first = s.words[start:], s.first+start
	inner.outer = slices.Concat(s.outer, denyForms(s))
	inner.around = slices.Concat(s.around, s.words[:start])
	w.inner(inner)
	return stays(s.at) // the command runs in a process of its own
}

// inner walks a command that another one runs.
func (w *walker) inner(s simple) outcome {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > MaxDepth {
		w.refuse("commands that run commands are nested too deep")
		return stays(s.at)
	}
	return w.simple(s)
}

// wrapped walks a command, and the command that it runs if it is a wrapper.
func (w *walker) wrapped(s simple) outcome {
	known := program.Named(program.NameOf(s.words[0]))
	switch known.Runs {
	case program.MovesDir:
		return w.changeDir(s)
	case program.ExecutesFound:
		w.find(s)
		return stays(s.at)
	case program.ShellScript:
		w.shellString(s)
		return stays(s.at)
	case program.Evaluates:
		return w.eval(s)
	case program.SetsTrap:
		return w.trap(s)
	case program.Renames:
		w.rename(s)
		return stays(s.at)
	case program.Sources:
		var forms []program.Form
		if len(s.words) > 1 && isInput(s.words[1]) {
			forms = append(forms, program.AnyForm)
		}
		w.add(s, nil, forms)
		return stays(s.at.away())
	case program.Callback:
		if len(known.Options.Risks(s.words, 1, len(s.words))) > 0 {
			w.unreadable(s)
			return stays(s.at)
		}
	}
	if known.Wrapper != nil {
		return w.exec(s, *known.Wrapper)
	}
	if strings.HasPrefix(s.words[0].Text, "-") {
		// "time -- x" runs x, but the parser takes -- for a name.
		w.unreadable(s)
		return stays(s.at.away())
	}
	w.add(s, nil, nil)
	return stays(s.at)
}

// rename walks alias, hash and enable. If one may give a name another meaning, any later
// command may be any other.
func (w *walker) rename(s simple) {
	if !slices.ContainsFunc(s.words[1:], func(x word.Word) bool { return givesMeaning(program.NameOf(s.words[0]), x) }) {
		w.add(s, nil, nil)
		return
	}
	w.cdpath = true
	w.add(s, []program.Risk{program.Unspellable("it gives a name another meaning")}, []program.Form{program.AnyForm})
}

// givesMeaning reports whether a word of alias, hash or enable changes what a
// name stands for.
func givesMeaning(builtin string, x word.Word) bool {
	switch {
	case x.Kind != word.Static:
		return true
	case builtin == "alias":
		return strings.Contains(x.Text, "=")
	case builtin == "hash":
		return x.IsOption() && strings.Contains(x.Text, "p")
	}
	return x.IsOption() && strings.ContainsAny(x.Text, "nf")
}

// changeDir walks cd, pushd and popd, and returns where they lead.
func (w *walker) changeDir(s simple) outcome {
	var risks []program.Risk
	target, ok := "", false
	if s.words[0].Text == "cd" {
		target, ok = program.CdTarget(s.words)
	}
	next := s.at.away()
	if ok {
		if next, ok = s.at.enter(w.roots, target); !ok {
			next = s.at.away()
			risks = append(risks, program.Unspellable("it leads out of the workspace"))
		}
	}
	if len(s.assigns) > 0 || w.cdpath {
		risks = append(risks, program.Unspellable("CDPATH may lead cd elsewhere"))
		next = s.at.away()
	}
	w.add(s, risks, nil)
	return outcome{next, next.with(s.at)}
}

// exec walks a wrapper that needs a rule for itself, and its inner command.
func (w *walker) exec(s simple, run program.Wrapper) outcome {
	if program.NameOf(s.words[0]) == "command" && looksUp(s.words) {
		w.add(s, nil, nil)
		return stays(s.at)
	}
	start := run.Command(s.words)
	switch start {
	case program.NoCommand:
		w.add(s, nil, nil)
		return stays(s.at)
	case program.Unreadable:
		w.unreadable(s)
		return stays(s.at.away())
	}
	w.addWrapper(s, start)
	in := simple{source: s.source, words: s.words[start:], fed: s.fed, at: s.at, call: s.call, first: s.first + start}
	if run.Assigns {
		first := start
		for first > 1 && program.IsAssignment(s.words[first-1]) {
			first--
		}
		for _, x := range s.words[first:start] {
			in.assigns = append(in.assigns, assignmentOf(x))
		}
	}
	switch {
	case run.Appends:
		in.words = XargsWords(s.words[:start], in.words)
	case run.InShell:
		in.assigns = s.assigns
		return w.inner(in)
	}
	w.inner(in)
	return stays(s.at)
}

// looksUp reports whether the builtin command only prints what a name stands for.
func looksUp(words []word.Word) bool {
	for _, w := range words[1:] {
		if w.Kind != word.Static || !strings.HasPrefix(w.Text, "-") || w.Text == "--" {
			return false
		}
		if strings.ContainsAny(w.Text, "vV") && strings.Trim(w.Text, "-pvV") == "" {
			return true
		}
	}
	return false
}

// assignmentOf reads a word of env as an assignment.
func assignmentOf(w word.Word) assignment {
	name, value, _ := strings.Cut(w.Text, "=")
	return assignment{name: name, value: word.Of(value)}
}

// XargsWords returns the inner command of xargs with the words that xargs adds, which are
// not known, at the end or where -I says.
func XargsWords(own, inner []word.Word) []word.Word {
	out := slices.Clone(inner)
	for i, o := range own {
		mark, glued := strings.CutPrefix(o.Text, "-I")
		if !glued || mark == "" && i+1 == len(own) {
			continue
		}
		if mark == "" {
			mark = own[i+1].Text
		}
		for j := range out {
			if strings.Contains(out[j].Text, mark) {
				out[j] = word.Word{Kind: word.Dynamic, Text: out[j].Text}
			}
		}
	}
	return append(out, word.Word{Kind: word.Spread})
}

// unreadable appends the unit of a command that runs another of which nothing is known.
func (w *walker) unreadable(s simple) {
	w.add(s, []program.Risk{program.Unspellable("what it runs cannot be told before it runs")}, []program.Form{program.AnyForm})
}

// addWrapper appends the unit of a wrapper. The words of the inner command belong to the
// unit of that command.
func (w *walker) addWrapper(s simple, start int) {
	own := s
	own.words = s.words[:start]
	u := w.add(own, nil, nil)
	for i := range u.Allows {
		u.Allows[i].Words = slices.Concat(u.Allows[i].Words[:len(u.Allows[i].Words)-len(s.inputs)], s.words[start:], s.inputs)
	}
	u.Forms = slices.Concat(u.Forms, s.outer, denyForms(s))
}

// separated returns the words of a command with a -- before those that are not known, if
// these are the last words and the program takes all that follows for operands. The --
// is printed too, so none of the words can become an option.
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
