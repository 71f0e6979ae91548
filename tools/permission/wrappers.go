package permission

import (
	"slices"
	"strings"
)

// transparent judges the inner command of a wrapper that needs no rule.
func (w *walker) transparent(s simple, start int) outcome {
	inner := s
	inner.words, inner.first = s.words[start:], s.first+start
	inner.outer = slices.Concat(s.outer, denyForms(s))
	inner.outerReads = append(slices.Clone(s.outerReads), w.pathWords(s.words[:start], s.at)...)
	w.inner(inner)
	return stays(s.at) // the command runs in a process of its own
}

// inner judges a command that another one runs.
func (w *walker) inner(s simple) outcome {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > maxDepth {
		w.refuse("commands that run commands are nested too deep")
		return stays(s.at)
	}
	return w.simple(s)
}

// wrapped judges a command, and what it runs when it is a wrapper.
func (w *walker) wrapped(s simple) outcome {
	known := named(programName(s.words[0]))
	switch known.runs {
	case movesDir:
		return w.changeDir(s)
	case executesFound:
		w.find(s)
		return stays(s.at)
	case shellScript:
		w.shellString(s)
		return stays(s.at)
	case evaluates:
		return w.eval(s)
	case setsTrap:
		return w.trap(s)
	case renames:
		w.rename(s)
		return stays(s.at)
	case sources:
		var forms []form
		if len(s.words) > 1 && isInput(s.words[1]) {
			forms = append(forms, anyForm)
		}
		w.add(s, nil, forms)
		return stays(s.at.away())
	case callback:
		if len(known.options.risks(s.words, 1, len(s.words))) > 0 {
			w.unreadable(s)
			return stays(s.at)
		}
	}
	if known.wrapper != nil {
		return w.exec(s, *known.wrapper)
	}
	if strings.HasPrefix(s.words[0].text, "-") {
		// "time -- x" runs x, but the parser takes -- for a name.
		w.unreadable(s)
		return stays(s.at.away())
	}
	w.add(s, nil, nil)
	return stays(s.at)
}

// rename judges what may give a name another meaning: after it any command may
// be any other.
func (w *walker) rename(s simple) {
	if !slices.ContainsFunc(s.words[1:], func(x word) bool { return givesMeaning(programName(s.words[0]), x) }) {
		w.add(s, nil, nil)
		return
	}
	w.cdpath = true
	w.add(s, []risk{unspellable("it gives a name another meaning")}, []form{anyForm})
}

// givesMeaning reports whether a word of alias, hash or enable changes what a
// name stands for.
func givesMeaning(builtin string, x word) bool {
	switch {
	case x.kind != static:
		return true
	case builtin == "alias":
		return strings.Contains(x.text, "=")
	case builtin == "hash":
		return x.isOption() && strings.Contains(x.text, "p")
	}
	return x.isOption() && strings.ContainsAny(x.text, "nf")
}

// changeDir judges cd, pushd and popd and follows them.
func (w *walker) changeDir(s simple) outcome {
	var risks []risk
	target, ok := "", false
	if s.words[0].text == "cd" {
		target, ok = cdTarget(s.words)
	}
	next := s.at.away()
	if ok {
		if next, ok = s.at.enter(w.roots, target); !ok {
			next = s.at.away()
			risks = append(risks, unspellable("it leads out of the workspace"))
		}
	}
	if len(s.assigns) > 0 || w.cdpath {
		risks = append(risks, unspellable("CDPATH may lead cd elsewhere"))
		next = s.at.away()
	}
	w.add(s, risks, nil)
	return outcome{next, next.with(s.at)}
}

// exec judges a wrapper that needs a rule for itself, and its inner command.
func (w *walker) exec(s simple, run wrapper) outcome {
	if programName(s.words[0]) == "command" && looksUp(s.words) {
		w.add(s, nil, nil)
		return stays(s.at)
	}
	start := run.command(s.words)
	switch start {
	case noCommand:
		w.add(s, nil, nil)
		return stays(s.at)
	case unreadable:
		w.unreadable(s)
		return stays(s.at.away())
	}
	w.addWrapper(s, start)
	in := simple{source: s.source, words: s.words[start:], fed: s.fed, at: s.at, call: s.call, first: s.first + start}
	if run.assigns {
		first := start
		for first > 1 && isAssignment(s.words[first-1]) {
			first--
		}
		for _, x := range s.words[first:start] {
			in.assigns = append(in.assigns, assignmentOf(x))
		}
	}
	switch {
	case run.appends:
		in.words = xargsWords(s.words[:start], in.words)
	case run.inShell:
		in.assigns = s.assigns
		return w.inner(in)
	}
	w.inner(in)
	return stays(s.at)
}

// looksUp reports whether command only says what a name stands for.
func looksUp(words []word) bool {
	for _, w := range words[1:] {
		if w.kind != static || !strings.HasPrefix(w.text, "-") || w.text == "--" {
			return false
		}
		if strings.ContainsAny(w.text, "vV") && strings.Trim(w.text, "-pvV") == "" {
			return true
		}
	}
	return false
}

// assignmentOf reads a word of env as an assignment.
func assignmentOf(w word) assignment {
	name, value, _ := strings.Cut(w.text, "=")
	return assignment{name: name, value: staticWord(value)}
}

// xargsWords returns the inner command of xargs with what it adds: words that
// are not known, at the end or where -I says.
func xargsWords(own, inner []word) []word {
	out := slices.Clone(inner)
	for i, o := range own {
		mark, glued := strings.CutPrefix(o.text, "-I")
		if !glued || mark == "" && i+1 == len(own) {
			continue
		}
		if mark == "" {
			mark = own[i+1].text
		}
		for j := range out {
			if strings.Contains(out[j].text, mark) {
				out[j] = word{kind: dynamic, text: out[j].text}
			}
		}
	}
	return append(out, word{kind: spread})
}

// unreadable judges a wrapper whose inner command cannot be told: it may be any
// of its words, or in any of them.
func (w *walker) unreadable(s simple) {
	risks := []risk{unspellable("what it runs cannot be told before it runs")}
	if len(s.words) > maxSuffixes {
		w.add(s, risks, []form{anyForm})
		return
	}
	words := looseWords(s.words)
	forms := suffixes(words)
	for _, x := range words[1:] {
		inner := strings.FieldsFunc(x.text, splitsCommands)
		if len(inner) > maxSuffixes {
			forms = append(forms, anyForm)
			continue
		}
		if x.kind != static || len(inner) < 2 {
			continue
		}
		var script []word
		if letter := inner[0]; len(letter) > 2 && letter[0] == '-' {
			script = append(script, staticWord(letter[:2]))
			inner[0] = letter[2:] // -S and the like may be glued to the script
		}
		for _, text := range inner {
			script = append(script, staticWord(text))
		}
		forms = append(forms, suffixes(append(script, word{kind: spread}))...)
	}
	w.add(s, risks, forms)
}

// maxSuffixes bounds the words of a wrapper that are each tried as a command.
const maxSuffixes = 1024

// looseWords returns the words of a wrapper as an inner command may get them:
// eval and shells read them again, find and xargs put others in.
func looseWords(words []word) []word {
	out := foundWords(words)
	known := &facts{}
	if words[0].kind == static {
		known = named(programName(words[0]))
	}
	for i, x := range out {
		if x.unknown() || x.kind == globbed || x.is("") || known.runs == evaluates && strings.ContainsAny(x.text, "{~*?[$`") {
			out[i].kind = spread
		}
	}
	if known.wrapper != nil && known.wrapper.appends {
		out = append(out, word{kind: spread})
	}
	return out
}

// splitsCommands reports whether a character may end a word of a script.
func splitsCommands(r rune) bool { return strings.ContainsRune(" \t\n;|&(){}<>$`'\"!", r) }

// addWrapper lists the unit of a wrapper. The words of the inner command are
// judged with that command.
func (w *walker) addWrapper(s simple, start int) {
	own := s
	own.words = s.words[:start]
	u := w.add(own, nil, nil)
	for i := range u.allows {
		u.allows[i].words = slices.Concat(u.allows[i].words[:len(u.allows[i].words)-len(s.inputs)], s.words[start:], s.inputs)
	}
	u.forms = slices.Concat(u.forms, s.outer, denyForms(s))
}
