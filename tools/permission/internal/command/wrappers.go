package command

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// What command returns if it finds no inner command.
const (
	noCommand  = 0  // there is none
	unreadable = -1 // it is not known whether there is one
)

// command returns the index of the first word of the command that a wrapper runs. An option
// that is not listed makes the wrapper unreadable.
func (p *Program) command(words []Word) int {
	i := 1
	for i < len(words) {
		x := words[i]
		if x.Kind != Static {
			return unreadable
		}
		if x.Text == "--" {
			i++
			break
		}
		if !x.isOption() {
			break
		}
		n := p.length(x.Text)
		if n == unreadable || n == 2 && i+1 < len(words) && words[i+1].Many {
			return unreadable
		}
		i += n
	}
	if p.facts["operands"] != "" {
		if i < len(words) && !words[i].known() {
			return unreadable
		}
		i++
	}
	for i < len(words) && p.is("assigns") && words[i].Kind != Unknown && strings.Contains(words[i].Text, "=") {
		i++
	}
	if i >= len(words) {
		return noCommand
	}
	if words[i].Many {
		return unreadable
	}
	return i
}

// length returns how many words an option and its value take, or unreadable.
func (p *Program) length(text string) int {
	if strings.HasPrefix(text, "--") {
		name, _, assigned := strings.Cut(text, "=")
		switch takes := p.list("longvalued").has(name); {
		case p.list("long").has(text), takes && assigned:
			return 1
		case takes:
			return 2
		}
		return unreadable
	}
	if p.is("number") && isDigits(text[1:]) {
		return 1
	}
	for i := 1; i < len(text); i++ {
		if strings.IndexByte(p.facts["valued"], text[i]) >= 0 {
			if i == len(text)-1 {
				return 2
			}
			return 1
		}
		if strings.IndexByte(p.facts["flags"], text[i]) < 0 {
			return unreadable
		}
	}
	return 1
}

// inner walks a command that another one runs.
func (w *walker) inner(s simple) {
	if w.depth++; w.depth > MaxDepth {
		w.refuse("commands that run commands are nested too deep")
	} else {
		w.simple(s)
	}
	w.depth--
}

// apart walks a command that another program runs: cd changes no folder of the shell.
func (w *walker) apart(s simple) {
	at := w.at
	w.inner(s)
	w.at, w.then = at, at
}

// looksUp matches the words of the builtin command if it only prints what a name stands for.
var looksUp = regexp.MustCompile(`^command\x00(-p\x00)*-p?[vV]`)

// wrapper walks a wrapper, which needs a rule for itself unless it is transparent, and the
// command that it runs.
func (w *walker) wrapper(s simple, p *Program) {
	start := p.command(s.words)
	switch {
	case start == noCommand, looksUp.MatchString(joined(s.words)):
		w.add(s, nil, nil)
		return
	case start == unreadable:
		w.unreadable(s)
		return
	}
	in := simple{source: s.source, words: s.words[start:], printed: s.printed[start:]}
	if p.facts["wraps"] == "transparent" && s.words[0].Text == nameOf(s.words[0]) {
		in.assigns, in.inputs, in.piped, in.around = s.assigns, s.inputs, s.piped, slices.Concat(s.around, s.words[1:start])
		in.outer = slices.Concat(s.outer, denyForms(s))
		w.apart(in)
		return
	}
	outer := s
	outer.own = s.words[:start]
	w.add(outer, nil, nil)
	for first := start; p.is("assigns") && first > 1 && strings.Contains(s.words[first-1].Text, "="); first-- {
		name, value, _ := strings.Cut(s.words[first-1].Text, "=")
		in.assigns = append(in.assigns, assignment{name, Of(value)})
	}
	switch p.facts["wraps"] {
	case "append":
		in.words = appended(s.words[:start], in.words)
	case "shell":
		in.assigns = s.assigns
		w.inner(in)
		return
	}
	w.apart(in)
}

// appended returns the command of xargs with the words that xargs adds, which are not
// known: where -I says, and at the end, since a later option may take -I back.
func appended(own, inner []Word) []Word {
	out := slices.Clone(inner)
	for i, o := range own {
		mark, glued, is := Named("xargs").matches(o.Text, "-I")
		if !is || !glued && i+1 == len(own) {
			continue
		}
		if !glued {
			mark = own[i+1].Text
		}
		out = replaced(out, mark, Word{Kind: Unknown})
	}
	return append(out, Word{Kind: Unknown, Many: true})
}

// unreadable appends the part of a command that runs another of which nothing is known.
func (w *walker) unreadable(s simple) {
	w.add(s, []Risk{unspellable("what it runs cannot be told before it runs")}, [][]Word{anyForm})
	w.lose()
}

// shellString walks a shell, and the script in its -c.
func (w *walker) shellString(s simple) {
	name := nameOf(s.words[0])
	at, found := commandString(s.words)
	switch {
	case at == unreadable, found && (at == len(s.words) || s.words[at].Kind != Static):
		w.unreadable(s)
	case !found:
		w.add(s, nil, formsOf(s.words[at:]))
	case name == "zsh": // it may read the script differently
		w.unreadable(s)
	default:
		s.texts = []int{at}
		w.add(s, nil, nil)
		// It runs as it was judged: as bash reads it where it does not follow POSIX.
		script := w.scriptString(s.words[at].Text)
		s.printed[0], s.printed[at] = quote("bash"), quote(cmp.Or(script, ":"))
		for i, x := range s.words[:at] {
			if x.Is("--posix") {
				s.printed[i] = ""
			}
		}
	}
}

// formsOf returns the forms of the commands in the script that words begin with: any, if it is not
// known which file that is, or the shell runs what it reads.
func formsOf(words []Word) [][]Word {
	if len(words) == 0 || words[0].Kind != Static || strings.HasPrefix(words[0].Text, "/dev/") {
		return [][]Word{anyForm}
	}
	return nil
}

// commandString returns the index of a shell's first operand, and whether the shell runs
// it as a script.
func commandString(words []Word) (at int, found bool) {
	for i := 1; i < len(words); i++ {
		x := words[i]
		switch {
		case x.Kind != Static:
			return unreadable, false
		case x.Text == "--" || x.Text == "-":
			return i + 1, found
		case list("--norc --noprofile --login --posix").has(x.Text):
			continue
		case !strings.HasPrefix(x.Text, "-") && !strings.HasPrefix(x.Text, "+"):
			return i, found
		case strings.Trim(x.Text[1:], "abcefhklnpuvxoBCE") != "":
			return unreadable, false
		}
		found = found || x.Text[0] == '-' && strings.Contains(x.Text, "c")
		i += strings.Count(x.Text, "o") // -o takes the name of an option
	}
	return len(words), found
}

// scriptString walks a script that a command gets as a string.
func (w *walker) scriptString(text string) string {
	w.strings += len(text)
	return w.subshell(func() string {
		switch w.depth++; {
		case w.depth > MaxDepth:
			w.refuse("commands that run commands are nested too deep")
		case w.strings > maxStrings:
			w.refuse("the scripts given as strings are too long")
		default:
			return w.file(text)
		}
		return ""
	})
}

// find walks find, and each command that -exec and the like run.
func (w *walker) find(s simple) {
	own, inner, ok := foundCommands(s)
	if !ok {
		w.unreadable(s)
		return
	}
	outer := s
	outer.own = own
	w.add(outer, nil, nil)
	at := w.at
	if slices.ContainsFunc(own, func(x Word) bool { return x.Is("-execdir") || x.Is("-okdir") }) {
		w.at = at.away()
	}
	for _, in := range inner {
		w.apart(in)
	}
	w.at, w.then = at, at
}

// foundCommands separates the words of find from the commands that it runs. ok is false if
// it can't.
func foundCommands(s simple) (own []Word, inner []simple, ok bool) {
	start := -1 // of the command
	own = s.words[:1:1]
	lead := foundLead(s.words)
	for i, x := range s.words[1:] {
		switch {
		case start < 0:
			if own = append(own, x); x.Kind == Static && list("-exec -execdir -ok -okdir").has(x.Text) {
				start = i + 2
			}
		case x.Is(";") || x.Is("+") && s.words[i].Is("{}") && strings.HasPrefix(own[len(own)-1].Text, "-exec"):
			if start == i+1 {
				return nil, nil, false
			}
			inner = append(inner, simple{source: s.source, words: replaced(s.words[start:i+1], "{}", Word{Kind: Unknown, Text: lead, Many: x.Is("+")}), printed: s.printed[start:]})
			start = -1
		case x.Many:
			return nil, nil, false
		}
	}
	return own, inner, start < 0
}

// foundLead returns how the names begin that find puts into commands: with the one folder that
// it starts from. It is "" if that is not known.
func foundLead(words []Word) string {
	ends := func(i int) bool {
		return i >= len(words) || words[i].isOption() || words[i].Is("!") || words[i].Is("(")
	}
	if ends(1) || words[1].Kind != Static || !ends(2) {
		return ""
	}
	return words[1].Text
}

// replaced returns words with another in place of those that have a mark, which begins as they
// do before it.
func replaced(words []Word, mark string, by Word) []Word {
	out := slices.Clone(words)
	for i, x := range out {
		if before, _, found := strings.Cut(x.Text, mark); found {
			out[i] = by
			out[i].Text = cmp.Or(before, by.Text)
		}
	}
	return out
}
