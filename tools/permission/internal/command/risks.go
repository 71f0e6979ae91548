package command

import (
	"slices"
	"strings"
)

// Risk is something that no wildcard of a rule covers.
type Risk struct {
	// At is the index of the word that a rule has to spell, or -1 if only the catch-all
	// covers it.
	At int
	// Names are the ways to spell it; without any it is the whole word.
	Names []string
	Why   string
	// Files says that it is only about which files are read and written: it does not count
	// where commands are held.
	Files bool
	// Writes are files that may be written instead of spelling it.
	Writes []Word
}

func unspellable(why string) Risk { return Risk{At: -1, Why: why} }

// risks returns what a rule has to spell of a command with a known name.
func (w *walker) risks(words []Word) (out []Risk) {
	p := Named(nameOf(words[0]))
	sub, at, known := p, 0, true
	if p.subs != nil {
		if sub, at, known = p.sub(words); !known {
			out = append(out, unspellable("its subcommand is not known before it runs"))
		}
		if at < len(words) && (sub.is("spell") && !sub.only(words[at+1:]) || p.is("commands") && !p.list("commands").has(words[at].Text)) {
			out = append(out, Risk{At: at, Names: []string{words[at].Text}, Why: words[0].Text + " " + words[at].Text + " is guarded"})
		}
	}
	out = append(out, sub.openRisks(words)...)
	for i := 1; i < len(words); i++ {
		if p.subs["*"] == nil || i < at {
			out = append(out, w.wordRisks(p, words, i)...)
		}
		if sub != p && i > at {
			out = append(out, w.wordRisks(sub, words, i)...)
		}
	}
	if risks := languages[nameOf(words[0])]; risks != nil {
		out = append(out, risks(words)...)
	}
	if at = p.carried(words); at > 0 {
		for _, g := range w.risks(words[at:]) {
			if g.At >= 0 {
				g.At += at
			}
			out = append(out, g)
		}
	}
	return out
}

// carried returns the index of the program that another one runs, as python -m pytest and npx eslint do,
// or 0.
func (p *Program) carried(words []Word) int {
	mark, carries := p.facts["carries"]
	start := 1
	if mark != "" {
		start += slices.IndexFunc(words, func(x Word) bool { return x.Is(mark) })
	}
	if !carries || start == 0 {
		return 0
	}
	at := slices.IndexFunc(words[start:], func(x Word) bool {
		return x.Kind == Static && list("runner tester interpreter service").has(Named(nameOf(x)).Class)
	})
	if at < 0 {
		return 0
	}
	return start + at
}

// openRisks finds the words that are not known, or that names of files may replace: they may be
// no options that run a program, no code and no address. Which files they name does not matter
// to a program that only prints its words, or looks at the names and sizes of files.
func (p *Program) openRisks(words []Word) (out []Risk) {
	code, texts := p.codeEnd(p.operands(words), len(words)), p.texts(words)
	after := false
	for i, x := range words[1:] {
		option := p.mayTakeAsOption(x, after)
		switch after = after || x.Is("--"); {
		case x.Kind == Glob && i+1 < code:
			out = append(out, unspellable("the names of files may become what "+words[0].Text+" interprets"))
		case x.Kind == Glob && option && (p.mayRun() || slices.ContainsFunc(options, p.is)):
			out = append(out, Risk{At: -1, Why: "a glob may become an option", Files: !p.mayRun()})
		case x.Kind == Unknown && !x.Plain && !textOnly(p, words):
			files := i+1 >= code && !p.mayBeMore(x, option && (x.Many || !slices.Contains(texts, i+1)))
			if !files || !p.onlyNames() || option && p.is("dash") {
				out = append(out, Risk{At: -1, Why: "a word of it is not known before it runs", Files: files})
			}
		}
	}
	return out
}

// mayTakeAsOption reports whether the program may take a word that is not known for an option, or for one of
// its files of options, such as @file. after says that -- stands before it.
func (p *Program) mayTakeAsOption(x Word, after bool) bool {
	return !after && x.mayBeOption() || x.Kind != Static && x.Text != "" && p.list("run").has(x.Text[:1])
}

// onlyNames reports whether the program does no more, with any option, than to look at the names and sizes of files.
func (p *Program) onlyNames() bool {
	return p.Class == "names" && !p.is("run") && !p.is("out") && !p.is("wraps")
}

// mayBeMore reports whether a word that is not known may be more than the name of a file: code, an address,
// a file of the kernel or, if it may be an option, one that runs a program.
func (p *Program) mayBeMore(x Word, option bool) bool {
	return list("interpreter runner service wrapper").has(p.Class) || option && p.mayRun() || inKernel(x.Text)
}

// codeEnd returns the index behind the words of a command that the program may interpret.
func (p *Program) codeEnd(operands []int, end int) int {
	switch first := p.facts["code"]; {
	case !p.is("code"):
		return 0
	case first == "word":
		return 2
	case first == "first" && len(operands) > 0:
		return operands[0] + 1
	}
	return end
}

// mayRun reports whether an option of the program may run another one.
func (p *Program) mayRun() bool {
	return p.is("run") || p.is("inplace") && p.is("code") || p.facts["wraps"] == "found" || p.super != nil && p.super.is("run")
}

// inKernel reports whether a path with a known beginning may be one of the kernel's files.
func inKernel(beginning string) bool {
	return slices.ContainsFunc([]string{"/proc/", "/sys/", "/dev/"}, func(dir string) bool {
		return beginning != "" && beginning[0] == '/' && strings.HasPrefix(dir, beginning) || strings.Contains(beginning+"/", dir)
	})
}

// operands returns the indexes of the words that are neither options nor their values, but for
// values that are code.
func (p *Program) operands(words []Word) []int {
	all, _ := p.split(words)
	return all
}

// split is operands, and returns the index of the -- that ends the options.
func (p *Program) split(words []Word) (all []int, end int) {
	after := false
	end = len(words)
	for i := 1; i < len(words); i++ {
		x := words[i]
		switch {
		case after || !x.isOption():
			all = append(all, i)
		case x.Is("--"):
			after, end = true, i
		case x.Kind == Static && p.length(x.Text) == 2:
			if i++; p.is("code") && (strings.HasSuffix(x.Text, "e") || x.Text == "--expression") && i < len(words) {
				all = append(all, i)
			}
		}
	}
	return all, end
}

// texts returns the indexes of the words that certainly are, or hold, the values of options that take any text, such
// as messages: whatever such a value becomes, it is no option and names no file.
func (p *Program) texts(words []Word) (all []int) {
	sure := true // the word before does not take this one for its value
	for i := 1; i < len(words) && !words[i].Is("--"); i++ {
		x := words[i]
		if !x.isOption() || x.Kind != Static {
			sure = true
			continue
		}
		length, takes := p.length(x.Text), sure && p.takesText(x.Text)
		sure = length != unreadable || strings.Contains(x.Text, "=")
		if length == 2 {
			i++
		}
		if takes {
			all = append(all, i)
		}
	}
	return all
}

// takesText reports whether an option takes any text, in the same word or the next one.
func (p *Program) takesText(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	if at := strings.IndexAny(option, p.facts["valued"]); at > 0 && option[1] != '-' {
		name = option[at : at+1]
	}
	return p.length(option) != unreadable && p.list("says").has(name)
}

// wordRisks finds what a rule has to spell of a word: a guarded option, or what the guard of the
// program matches.
func (w *walker) wordRisks(p *Program, words []Word, i int) (out []Risk) {
	x, text := words[i], words[i].Text
	if p.guards(text) {
		out = append(out, Risk{At: i, Why: "the word " + text + " is guarded"})
	}
	if i == 1 && p.is("cluster") && !x.isOption() {
		text = "-" + text
	}
	if x.Kind != Static || len(text) < 2 || text[0] != '-' && !p.list("run").has(text[:1]) {
		return out
	}
	fact, name, value, glued := p.option(text)
	if !glued && i+1 < len(words) && words[i+1].Kind == Static {
		value = words[i+1].Text
	}
	g := Risk{At: i, Names: spellings(text, name), Why: "the option " + x.Text + " is guarded", Files: fact != "run"}
	switch {
	case fact == "", p.list("builtin").any(func(known string) bool { return isLike(name+"="+value, known) }):
		return out
	case fact == "outside":
		w.outside(words[0].Text + " " + name)
		return out
	case fact == "inplace":
		g.Writes = p.changed(words)
	case fact == "out" && !strings.Contains(value, "#"): // which means something to curl
		g.Writes = outputs(value, glued, words[i+1:])
	}
	return append(out, g)
}

// outputs returns the file that an option writes: its value, in the same word or the next one.
func outputs(value string, glued bool, rest []Word) []Word {
	if glued {
		return []Word{Of(value)}
	}
	return rest[:min(1, len(rest))]
}

// guards reports whether the guard of the program matches what is left of a word without what the program
// is known to do with it.
func (p *Program) guards(text string) bool {
	if p.unless != nil {
		text = p.unless.ReplaceAllString(text, "")
	}
	return p.guard != nil && p.guard.MatchString(text)
}

// spellings are the ways to spell a guarded option in a rule.
func spellings(text, name string) []string {
	if len(name) > 2 && !strings.HasPrefix(name, "--") {
		return []string{name, "-" + name}
	}
	head, _, _ := strings.Cut(text, "=")
	return []string{name, head}
}

// changed returns the operands that a program changes in place, or nil if they are not all
// known.
func (p *Program) changed(words []Word) (out []Word) {
	for i, at := range p.operands(words) {
		switch {
		case i == 0 && p.is("code"):
		case words[at].Kind != Static:
			return nil
		default:
			out = append(out, words[at])
		}
	}
	return out
}

// TextOnly reports whether the part does nothing with its words but print or compare them.
func (p *Part) TextOnly() bool { return len(p.own) > 0 && textOnly(p.program, p.own) }

func textOnly(p *Program, words []Word) bool {
	switch {
	case p.Class != "text" || words[0].Kind != Static || Named(words[0].Text) != p:
		return false
	case words[0].Is("printf"):
		return hasStaticFormat(words[1:])
	case words[0].Is("test") || words[0].Is("["):
		return isPlainTest(words)
	}
	return true
}

// hasStaticFormat reports whether the format of printf is known, and sets no variable.
func hasStaticFormat(args []Word) bool {
	if len(args) > 0 && args[0].Is("--") {
		args = args[1:]
	}
	return len(args) > 0 && args[0].Kind == Static && !Named("printf").guards(args[0].Text)
}

// isPlainTest reports whether none of the words of a test that are not known may become an
// operator that evaluates the word behind it: an operator stands there, or nothing.
func isPlainTest(words []Word) bool {
	args := words[1:]
	if last := len(args) - 1; words[0].Is("[") && last >= 0 && args[last].Is("]") {
		args = args[:last]
	}
	for i, x := range args {
		ends := i == len(args)-1 || args[i+1].Kind == Static && list("= == != < > -nt -ot -ef -eq -ne -lt -le -gt -ge -a -o").has(args[i+1].Text)
		if x.Kind != Static && !x.Plain && (x.Many || !ends) {
			return false
		}
	}
	return true
}

// only reports whether a program only reads with these words, if it is listed with which.
func (p *Program) only(words []Word) bool {
	only := p.list("only")
	return only != "" && !(p.is("words") && len(words) == 0) && !slices.ContainsFunc(words, func(x Word) bool {
		return x.Kind != Static || !only.any(func(name string) bool { return isLike(x.Text, name) })
	})
}

// isLike reports whether a text is the one in a list, at whose end a * is any text.
func isLike(text, listed string) bool {
	head, star := strings.CutSuffix(listed, "*")
	return text == listed || star && strings.HasPrefix(text, head)
}

// OnlyReads reports whether the part changes nothing, unless it has a risk.
func (p *Part) OnlyReads() bool {
	if len(p.Writes) > 0 {
		return false
	}
	if p.IsRedirect() {
		return true
	}
	name := p.own[0]
	if !name.Is(nameOf(name)) {
		return false
	}
	switch {
	case p.NeedsNoRule && name.Text != "exit":
		return true
	case p.program.is("only"):
		at := 1
		if super := p.program.super; super != nil {
			_, at, _ = super.sub(p.own)
			at++
		}
		return p.program.only(p.own[min(at, len(p.own)):])
	}
	return list("text names reader").has(p.program.Class) || p.program.Class == "wrapper" && p.program.is("reader")
}

// NamesOnly reports whether the program looks only at the names and sizes of files.
func (p *Part) NamesOnly() bool { return p.program.Class == "names" }

// OpensNothing reports whether the part certainly reads nothing of what is in files.
func (p *Part) OpensNothing() bool {
	if p.IsRedirect() {
		return len(p.Reads) == 0
	}
	return p.TextOnly() || !p.wraps && (p.NamesOnly() || p.NeedsNoRule)
}

// Replaces reports whether the part removes or replaces what it writes, and does not follow
// a link to it.
func (p *Part) Replaces() bool { return p.program.is("replaces") }

// WritesWhole reports whether the part changes all that is in a folder that it writes.
func (p *Part) WritesWhole() bool {
	writes := p.program.facts["writes"]
	recursive := func(x Word) bool { return x.isOption() && strings.ContainsAny(x.Text, "rRaT") }
	return writes == "all" || writes == "mode" || writes == "last" && slices.ContainsFunc(p.own, recursive)
}

// IsTame reports whether the part could not change git's own files: it only reads or prints,
// or writes what its words name.
func (p *Part) IsTame() bool {
	if p.IsRedirect() {
		return true
	}
	name := p.own[0]
	return name.Is(nameOf(name)) && (p.program.Class == "edit" || p.TextOnly() || p.OnlyReads())
}
