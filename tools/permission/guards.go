package permission

import (
	"slices"
	"strings"
)

// commandGuards returns what is guarded among the words of a command.
func commandGuards(words []word) []guard {
	if words[0].kind != static {
		return nil // the name is guarded already
	}
	guards := dynamicGuards(words)
	key := program(words[0])
	table, known := guardOf(key)
	switch key {
	case "git":
		return append(guards, gitGuards(words)...)
	case "cd":
		guards = append(guards, cdGuards(words)...)
	case "let":
		guards = append(guards, unspellable("it evaluates arithmetic"))
	case "read", "mapfile", "readarray", "getopts", "unset", "wait":
		guards = append(guards, variableGuards(words)...)
	case "curl", "wget":
		guards = append(guards, transferGuards(words)...)
	case "go":
		guards = append(guards, goEnvGuards(words)...)
		guards = append(guards, goFlagGuards(words)...)
	case "export", "declare", "typeset", "readonly", "local":
		guards = append(guards, declarationGuards(words)...)
	case "printf":
		guards = append(guards, printfGuards(words)...)
	case "test", "[":
		if !isPlainTest(words) {
			guards = append(guards, unspellable("a word of it may become an operator"))
		}
	case "jq":
		guards = append(guards, jqGuards(words)...)
	case "ps":
		guards = append(guards, psGuards(words)...)
	case "less":
		guards = append(guards, plusGuards(words)...)
	case "sed":
		guards = append(guards, sedGuards(words)...)
	case "awk", "gawk", "mawk", "nawk":
		guards = append(guards, awkGuards(words)...)
	case "tar":
		guards = append(guards, tarGuards(words)...)
	case "make", "gmake":
		guards = append(guards, makeGuards(words)...)
	}
	guards = append(guards, interpretedGuards(key, words)...)
	if known {
		guards = append(guards, table.guards(words, 1, len(words))...)
		guards = append(guards, globGuards(words)...)
	}
	return guards
}

// dynamicGuards guards the words that are not known, except where they are only
// printed.
func dynamicGuards(words []word) (out []guard) {
	if isTextOnly(words) {
		return nil
	}
	for _, w := range words[1:] {
		if w.unknown() {
			return []guard{unspellable("a word of it is not known before it runs")}
		}
	}
	return nil
}

// globGuards guards a glob that begins with its wildcard, before any --: a file
// may be named like an option. A glob that begins like an option is guarded
// anywhere.
func globGuards(words []word) []guard {
	options := true
	for _, w := range words[1:] {
		if w.is("--") {
			options = false
		}
		if w.kind != globbed {
			continue
		}
		starts := len(w.atoms) == 0 || w.atoms[0].wild != literal
		if starts && options || w.isOption() {
			return []guard{unspellable("a glob may become an option")}
		}
	}
	return nil
}

// guards returns the guarded options among words[from:to].
func (g optionGuard) guards(words []word, from, to int) (out []guard) {
	for i := from; i < to; i++ {
		w := words[i]
		if w.kind != static || len(w.text) < 2 || w.text[0] != '-' {
			continue
		}
		if names := g.names(w.text); names != nil {
			out = append(out, guard{at: i, names: names, why: "the option " + w.text + " is guarded"})
		}
	}
	return out
}

// names returns the guarded options that a word holds, or nil.
func (g optionGuard) names(text string) (names []string) {
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
func (g optionGuard) longNames(name string) (names []string) {
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

// cdGuards guards any cd but one into a known directory; whether that is in the
// workspace is seen where it is entered.
func cdGuards(words []word) []guard {
	if _, ok := cdTarget(words); !ok {
		return []guard{unspellable("it changes to a directory that is not known before it runs")}
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

// declarationGuards guards the variables and options of export and its like.
func declarationGuards(words []word) (out []guard) {
	for i, w := range words[1:] {
		name, value, assigns := strings.Cut(w.text, "=")
		name = strings.TrimSuffix(name, "+")
		switch {
		case w.unknown():
			out = append(out, unspellable("it sets a variable that is not known before it runs"))
		case w.isOption() && strings.Trim(w.text, "-xrgpf") == "", w.kind != static:
		case w.isOption() || strings.HasPrefix(w.text, "+"):
			out = append(out, guard{at: i + 1, names: []string{w.text}, why: "the option " + w.text + " is guarded"})
		case strings.Contains(name, "["):
			out = append(out, unspellable("it sets an element of an array"))
		case assigns && !setsFreely(name, staticWord(value)):
			out = append(out, guard{at: i + 1, names: []string{name}, why: "it sets the variable " + name})
		}
	}
	return out
}

// variableGuards guards the names of variables that a builtin sets: all but a
// script's own, and subscripts, which are evaluated.
func variableGuards(words []word) (out []guard) {
	for i, w := range words[1:] {
		switch {
		case strings.Contains(w.text, "["):
			out = append(out, unspellable("it sets an element of an array"))
		case isUpperName(w.text) && !isFreeVariable(w.text):
			out = append(out, guard{at: i + 1, names: []string{w.text}, why: "it sets the variable " + w.text})
		}
	}
	return out
}

// evaluatesSubscript reports whether a builtin is given the name of an array's
// element that runs something while it is evaluated.
func evaluatesSubscript(words []word) bool {
	switch words[0].text {
	case "read", "mapfile", "readarray", "getopts", "unset", "declare", "typeset", "local", "export", "readonly", "wait":
	case "printf", "test", "[":
		named := func(w word) bool { return strings.HasPrefix(w.text, "-v") || w.is("-R") }
		if !slices.ContainsFunc(words, named) {
			return false
		}
	default:
		return false
	}
	return slices.ContainsFunc(words[1:], func(w word) bool {
		_, subscript, ok := strings.Cut(w.text, "[")
		return ok && strings.ContainsAny(subscript, "$`")
	})
}

// isUpperName reports whether a text can name a variable of the environment.
func isUpperName(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && strings.ToLower(text) != text || isFixedVariable(text)
}

// printfGuards guards -v, which sets a variable when it comes first, and a
// format that does.
func printfGuards(words []word) (out []guard) {
	if len(words) > 1 && strings.HasPrefix(words[1].text, "-v") {
		out = append(out, guard{at: 1, names: []string{"-v"}, why: "printf -v sets a variable"})
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

// psGuards guards what has ps print the environment of processes, where secrets
// are: the letter e without a dash, -E of some, and the column.
func psGuards(words []word) (out []guard) {
	for i, w := range words[1:] {
		option := w.isOption()
		letters := strings.Trim(w.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
		if !option && letters && strings.Contains(w.text, "e") || option && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "E") || strings.Contains(w.text, "environ") {
			out = append(out, guard{at: i + 1, why: "the environment of processes (" + w.text + ") is guarded"})
		}
	}
	return out
}

// plusGuards guards the commands that less takes as +word.
func plusGuards(words []word) (out []guard) {
	for i, w := range words[1:] {
		if strings.HasPrefix(w.text, "+") {
			out = append(out, guard{at: i + 1, why: "a command for less (+) is guarded"})
		}
	}
	return out
}

// tarGuards guards tar's first word, which is a cluster of options even without
// a dash.
func tarGuards(words []word) []guard {
	if len(words) < 2 || words[1].isOption() || !strings.ContainsAny(words[1].text, "IFgC") {
		return nil
	}
	return []guard{{at: 1, why: "the options " + words[1].text + " are guarded"}}
}

// makeGuards guards the variables of make that say what runs its recipes.
func makeGuards(words []word) (out []guard) {
	for i, w := range words[1:] {
		name, _, assigns := strings.Cut(w.text, "=")
		name = strings.TrimRight(name, "?:+!")
		if assigns && !w.isOption() && (strings.Contains(name, "SHELL") || strings.HasPrefix(name, "MAKE") || strings.ContainsAny(w.text, "$`")) {
			out = append(out, guard{at: i + 1, names: []string{name}, why: "it sets the variable " + name + " of make"})
		}
	}
	return out
}
