package permission

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// riskyOptions lists the options of a program that make it write, or run another
// program, so that no wildcard of a rule covers them.
type riskyOptions struct {
	// long are options with two dashes. --name=value counts, and any cut of the
	// name that a program might complete.
	long []string
	// short are letters, alone, glued to a value or inside a cluster.
	short string
	// valued are short options that take a value: a cluster ends with them.
	valued string
	// exact are whole words.
	exact []string
	// flags are options of Go programs: one or two dashes, =value, whole words.
	flags []string
	// files are those of them that do nothing but say which files are written, or
	// that files are: where commands are held no rule has to spell them.
	files []string
	// fine are long options that only look like a cut of a guarded one.
	fine []string
}

// risksOf returns what of the words of a command a rule has to spell.
func risksOf(words []word) []risk {
	if words[0].kind != static {
		return nil // the name is one already
	}
	key := programName(words[0])
	known := named(key)
	risks := unknownRisks(words)
	if known.risks != nil {
		risks = append(risks, known.risks(words)...)
	}
	risks = append(risks, interpretedRisks(key, known.interprets, words)...)
	if known.options != nil {
		risks = append(risks, known.options.risks(words, 1, len(words))...)
		risks = append(risks, globRisks(words)...)
	}
	return risks
}

// letRisks finds arithmetic, which runs what a subscript says.
func letRisks([]word) []risk { return []risk{unspellable("it evaluates arithmetic")} }

// testRisks finds words that may become operators.
func testRisks(words []word) []risk {
	if isPlainTest(words) {
		return nil
	}
	return []risk{unspellable("a word of it may become an operator")}
}

// unknownRisks finds the words that are not known, except where they are only
// printed.
func unknownRisks(words []word) (out []risk) {
	if isTextOnly(words) {
		return nil
	}
	for _, w := range words[1:] {
		if w.unknown() {
			g := unspellable("a word of it is not known before it runs")
			known := named(programName(words[0]))
			switch {
			case !namesOnly(words):
			case known.counts || known.contents == hidden && !known.runsGit: // what they are called is no secret
				return nil
			default:
				g.level = unheld
			}
			return []risk{g}
		}
	}
	return nil
}

// globRisks finds a glob that begins with its wildcard, before any --: a file
// may be named like an option. A glob that begins like an option is guarded
// anywhere.
func globRisks(words []word) []risk {
	options := true
	for _, w := range words[1:] {
		if w.is("--") {
			options = false
		}
		if w.kind != globbed {
			continue
		}
		starts := len(w.atoms) == 0 || w.atoms[0].Wild != pattern.Literal
		if starts && options || w.isOption() {
			return []risk{unspellable("a glob may become an option")}
		}
	}
	return nil
}

// guards returns the guarded options among words[from:to].
func (g riskyOptions) risks(words []word, from, to int) (out []risk) {
	for i := from; i < to; i++ {
		w := words[i]
		if w.kind != static || len(w.text) < 2 || w.text[0] != '-' {
			continue
		}
		if names := g.names(w.text); names != nil {
			level := everywhere
			if !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(g.files, name) }) {
				level = unheld
			}
			out = append(out, risk{level: level, at: i, names: names, why: "the option " + w.text + " is guarded"})
		}
	}
	return out
}

// names returns the guarded options that a word holds, or nil.
func (g riskyOptions) names(text string) (names []string) {
	name, _, _ := strings.Cut(text, "=")
	if slices.Contains(g.exact, text) || slices.Contains(g.exact, name) {
		names = append(names, name)
	}
	if flag := strings.TrimLeft(name, "-"); len(g.flags) > 0 && flag != "" {
		if slices.Contains(g.flags, flag) || slices.Contains(g.flags, "profile") && strings.HasSuffix(flag, "profile") {
			names = append(names, "-"+flag, "--"+flag)
		}
	}
	if strings.HasPrefix(text, "--") {
		return append(names, g.longNames(name)...)
	}
	for i := 1; i < len(text); i++ {
		if strings.IndexByte(g.short, text[i]) >= 0 {
			names = append(names, "-"+text[i:i+1])
		} else if strings.IndexByte(g.valued, text[i]) >= 0 {
			break
		}
	}
	return names
}

// longNames returns the long options that a name is, or may be a cut of.
func (g riskyOptions) longNames(name string) (names []string) {
	if len(name) <= len("--") || slices.Contains(g.fine, name) {
		return nil
	}
	if slices.Contains(g.long, name) {
		return []string{name}
	}
	for _, long := range g.long {
		if strings.HasPrefix(long, name) {
			names = append(names, long)
		}
	}
	return names
}

// cdRisks finds any cd but one into a known directory; whether that is in the
// workspace is seen where it is entered.
func cdRisks(words []word) []risk {
	if _, ok := cdTarget(words); !ok {
		return []risk{unspellable("it changes to a directory that is not known before it runs")}
	}
	return nil
}

// cdTarget returns the directory of a plain cd.
func cdTarget(words []word) (target string, ok bool) {
	args := words[1:]
	if len(args) > 0 && args[0].is("--") {
		args = args[1:]
	} else if len(args) > 0 && args[0].isOption() {
		return "", false
	}
	if len(args) != 1 || args[0].kind != static || args[0].text == "" || args[0].text == "-" {
		return "", false
	}
	return args[0].text, true
}

// declarationRisks finds the variables and options of export and its like.
func declarationRisks(words []word) (out []risk) {
	for i, w := range words[1:] {
		name, value, assigns := strings.Cut(w.text, "=")
		name = strings.TrimSuffix(name, "+")
		switch {
		case w.unknown():
			out = append(out, unspellable("it sets a variable that is not known before it runs"))
		case w.isOption() && strings.Trim(w.text, "-xrgpf") == "", w.kind != static:
		case w.isOption() || strings.HasPrefix(w.text, "+"):
			out = append(out, risk{at: i + 1, names: []string{w.text}, why: "the option " + w.text + " is guarded"})
		case strings.Contains(name, "["):
			out = append(out, unspellable("it sets an element of an array"))
		case assigns && !setsFreely(name, staticWord(value)):
			out = append(out, risk{at: i + 1, names: []string{name}, why: "it sets the variable " + name})
		}
	}
	return out
}

// variableRisks finds the names of variables that a builtin sets: all but a
// script's own, and subscripts, which are evaluated.
func variableRisks(words []word) (out []risk) {
	for i, w := range words[1:] {
		switch {
		case strings.Contains(w.text, "["):
			out = append(out, unspellable("it sets an element of an array"))
		case isUpperName(w.text) && !isFreeVariable(w.text):
			out = append(out, risk{at: i + 1, names: []string{w.text}, why: "it sets the variable " + w.text})
		}
	}
	return out
}

// evaluatesSubscript reports whether a builtin is given the name of an array's
// element that runs something while it is evaluated.
func evaluatesSubscript(words []word) bool {
	if !named(words[0].text).subscripts.of(words) {
		return false
	}
	return slices.ContainsFunc(words[1:], func(w word) bool {
		_, subscript, ok := strings.Cut(w.text, "[")
		return ok && strings.ContainsAny(subscript, "$`")
	})
}

// namesVariable reports whether an option takes the name of a variable.
func namesVariable(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return strings.HasPrefix(w.text, "-v") || w.is("-R") })
}

// isUpperName reports whether a text can name a variable of the environment.
func isUpperName(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && strings.ToLower(text) != text || isFixedVariable(text)
}

// printfRisks finds -v, which sets a variable when it comes first, and a
// format that does.
func printfRisks(words []word) (out []risk) {
	if len(words) > 1 && strings.HasPrefix(words[1].text, "-v") {
		out = append(out, risk{at: 1, names: []string{"-v"}, why: "printf -v sets a variable"})
	}
	for _, w := range words[1:] {
		if assignsByFormat(w.text) {
			return append(out, unspellable("%n of printf sets a variable"))
		}
		if !w.is("--") {
			break
		}
	}
	return out
}

// psRisks finds what has ps print the environment of processes, where secrets
// are: the letter e without a dash, -E of some, and the column.
func psRisks(words []word) (out []risk) {
	for i, w := range words[1:] {
		option := w.isOption()
		letters := strings.Trim(w.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
		if !option && letters && strings.Contains(w.text, "e") || option && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "E") || strings.Contains(w.text, "environ") {
			out = append(out, risk{at: i + 1, why: "the environment of processes (" + w.text + ") is guarded"})
		}
	}
	return out
}

// plusRisks finds the commands that less takes as +word.
func plusRisks(words []word) (out []risk) {
	for i, w := range words[1:] {
		if strings.HasPrefix(w.text, "+") {
			out = append(out, risk{at: i + 1, why: "a command for less (+) is guarded"})
		}
	}
	return out
}

// tarRisks finds tar's first word, which is a cluster of options even without
// a dash.
func tarRisks(words []word) []risk {
	if len(words) < 2 || words[1].isOption() || !strings.ContainsAny(words[1].text, "IFgC") {
		return nil
	}
	return []risk{{at: 1, why: "the options " + words[1].text + " are guarded"}}
}

// makeRisks finds the variables of make that say what runs its recipes.
func makeRisks(words []word) (out []risk) {
	for i, w := range words[1:] {
		name, _, assigns := strings.Cut(w.text, "=")
		name = strings.TrimRight(name, "?:+!")
		if assigns && !w.isOption() && (strings.Contains(name, "SHELL") || strings.HasPrefix(name, "MAKE") || strings.ContainsAny(w.text, "$`")) {
			out = append(out, risk{at: i + 1, names: []string{name}, why: "it sets the variable " + name + " of make"})
		}
	}
	return out
}
