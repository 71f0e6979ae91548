package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// RiskyOptions are the options with which a program writes, or runs another program. No
// wildcard of a rule covers them.
type RiskyOptions struct {
	// Long are options with two dashes, also as --name=value or abbreviated.
	Long list
	// Short are letters, alone, before a value or inside a cluster.
	Short string
	// Valued are harmless short options with a value: what follows in the same word is
	// not options.
	Valued string
	// Exact are whole words.
	Exact list
	// Flags are options of Go programs: one or two dashes, =value, never abbreviated.
	Flags list
	// Files are the risky options that only say that files are written, or which: where
	// commands are held no rule has to spell them.
	Files list
	// Fine are long options that are not abbreviations of a risky one.
	Fine list
}

// RisksOf returns what a rule has to spell of a command, and what options among that
// only have it write.
func RisksOf(words []word.Word) (risks []Risk, outs []Output) {
	if words[0].Kind != word.Static {
		return nil, nil // the name is one already
	}
	key := NameOf(words[0])
	known := Named(key)
	risks = unknownRisks(words)
	if known.Risks != nil {
		risks = append(risks, known.Risks(words)...)
	}
	risks = append(risks, interpretedRisks(key, known.Interprets, words)...)
	if known.Options != nil {
		risks = append(risks, known.Options.Risks(words, 1, len(words))...)
		risks = append(risks, globRisks(words)...)
	}
	return risks, known.outputs(words, risks)
}

// letRisks is the risk of arithmetic, which runs what is in a subscript.
func letRisks([]word.Word) []Risk { return []Risk{Unspellable("it evaluates arithmetic")} }

// testRisks finds words that may become operators.
func testRisks(words []word.Word) []Risk {
	if isPlainTest(words) {
		return nil
	}
	return []Risk{Unspellable("a word of it may become an operator")}
}

// unknownRisks finds words that are not known, unless the command only prints them.
func unknownRisks(words []word.Word) (out []Risk) {
	if IsTextOnly(words) {
		return nil
	}
	for _, w := range words[1:] {
		if w.Unknown() {
			g := Unspellable("a word of it is not known before it runs")
			known := Named(NameOf(words[0]))
			switch {
			case !namesOnly(words):
			case known.Counts || known.Contents == Hidden && !known.RunsGit: // names of files are no secret
				return nil
			default:
				g.Level = Unheld
			}
			return []Risk{g}
		}
	}
	return nil
}

// globRisks finds globs that may become an option, because of a file with such a name:
// one that begins with a wildcard, before any --, and one that begins with a dash.
func globRisks(words []word.Word) []Risk {
	options := true
	for _, w := range words[1:] {
		if w.Is("--") {
			options = false
		}
		if w.Kind != word.Globbed {
			continue
		}
		starts := len(w.Atoms) == 0 || w.Atoms[0].Wild != pattern.Literal
		if starts && options || w.IsOption() {
			return []Risk{Unspellable("a glob may become an option")}
		}
	}
	return nil
}

// Risks returns the risky options among words[from:to].
func (g RiskyOptions) Risks(words []word.Word, from, to int) (out []Risk) {
	for i := from; i < to; i++ {
		w := words[i]
		if w.Kind != word.Static || len(w.Text) < 2 || w.Text[0] != '-' {
			continue
		}
		if names := g.names(w.Text); names != nil {
			level := everywhere
			if !slices.ContainsFunc(names, func(name string) bool { return !g.Files.has(name) }) {
				level = Unheld
			}
			out = append(out, Risk{Level: level, At: i, Names: names, Why: "the option " + w.Text + " is guarded"})
		}
	}
	return out
}

// names returns the names of the risky options in a word, or nil.
func (g RiskyOptions) names(text string) (names []string) {
	name, _, _ := strings.Cut(text, "=")
	if g.Exact.has(text) || g.Exact.has(name) {
		names = append(names, name)
	}
	if flag := strings.TrimLeft(name, "-"); len(g.Flags) > 0 && flag != "" {
		if g.Flags.has(flag) || g.Flags.has("profile") && strings.HasSuffix(flag, "profile") {
			names = append(names, "-"+flag, "--"+flag)
		}
	}
	if strings.HasPrefix(text, "--") {
		return append(names, g.longNames(name)...)
	}
	for i := 1; i < len(text); i++ {
		if strings.IndexByte(g.Short, text[i]) >= 0 {
			names = append(names, "-"+text[i:i+1])
		} else if strings.IndexByte(g.Valued, text[i]) >= 0 {
			break
		}
	}
	return names
}

// longNames returns the risky long options that a name may stand for.
func (g RiskyOptions) longNames(name string) (names []string) {
	if len(name) <= len("--") || g.Fine.has(name) {
		return nil
	}
	for long := range g.Long.all() {
		if long == name {
			return []string{name}
		}
		if strings.HasPrefix(long, name) {
			names = append(names, long)
		}
	}
	return names
}

// cdRisks is for cd to a directory that is not known. Whether a known one is in the
// workspace is checked when the walk enters it.
func cdRisks(words []word.Word) []Risk {
	if _, ok := CdTarget(words); !ok {
		return []Risk{Unspellable("it changes to a directory that is not known before it runs")}
	}
	return nil
}

// CdTarget returns the directory of a cd that names one; ok is false for any other cd.
func CdTarget(words []word.Word) (target string, ok bool) {
	args := words[1:]
	if len(args) > 0 && args[0].Is("--") {
		args = args[1:]
	} else if len(args) > 0 && args[0].IsOption() {
		return "", false
	}
	if len(args) != 1 || args[0].Kind != word.Static || args[0].Text == "" || args[0].Text == "-" {
		return "", false
	}
	return args[0].Text, true
}

// declarationRisks finds risky variables and options of export, declare and the like.
func declarationRisks(words []word.Word) (out []Risk) {
	for i, w := range words[1:] {
		name, value, assigns := strings.Cut(w.Text, "=")
		name = strings.TrimSuffix(name, "+")
		switch {
		case w.Unknown():
			out = append(out, Unspellable("it sets a variable that is not known before it runs"))
		case w.IsOption() && strings.Trim(w.Text, "-xrgpf") == "", w.Kind != word.Static:
		case w.IsOption() || strings.HasPrefix(w.Text, "+"):
			out = append(out, Risk{At: i + 1, Names: []string{w.Text}, Why: "the option " + w.Text + " is guarded"})
		case strings.Contains(name, "["):
			out = append(out, Unspellable("it sets an element of an array"))
		case assigns && !word.SetsFreely(name, word.Of(value)):
			out = append(out, Risk{At: i + 1, Names: []string{name}, Why: "it sets the variable " + name})
		}
	}
	return out
}

// variableRisks finds the variables that a builtin sets, except a script's own, and
// subscripts, which the shell evaluates.
func variableRisks(words []word.Word) (out []Risk) {
	for i, w := range words[1:] {
		switch {
		case strings.Contains(w.Text, "["):
			out = append(out, Unspellable("it sets an element of an array"))
		case isUpperName(w.Text) && !word.IsFreeVariable(w.Text):
			out = append(out, Risk{At: i + 1, Names: []string{w.Text}, Why: "it sets the variable " + w.Text})
		}
	}
	return out
}

// EvaluatesSubscript reports whether a builtin gets a subscript that runs a command when
// it is evaluated.
func EvaluatesSubscript(words []word.Word) bool {
	if !Named(words[0].Text).Subscripts.Of(words) {
		return false
	}
	return slices.ContainsFunc(words[1:], func(w word.Word) bool {
		_, subscript, ok := strings.Cut(w.Text, "[")
		return ok && strings.ContainsAny(subscript, "$`")
	})
}

// NamesVariable reports whether a word is an option that takes the name of a variable.
func NamesVariable(words []word.Word) bool {
	return slices.ContainsFunc(words, func(w word.Word) bool { return strings.HasPrefix(w.Text, "-v") || w.Is("-R") })
}

// isUpperName reports whether a text may be the name of an environment variable.
func isUpperName(text string) bool {
	return strings.Trim(text, letters+"0123456789_") == "" && strings.ToLower(text) != text || word.IsFixedVariable(text)
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// printfRisks finds a leading -v and %n in the format: both set a variable.
func printfRisks(words []word.Word) (out []Risk) {
	if len(words) > 1 && strings.HasPrefix(words[1].Text, "-v") {
		out = append(out, Risk{At: 1, Names: []string{"-v"}, Why: "printf -v sets a variable"})
	}
	for _, w := range words[1:] {
		if assignsByFormat(w.Text) {
			return append(out, Unspellable("%n of printf sets a variable"))
		}
		if !w.Is("--") {
			break
		}
	}
	return out
}

// psRisks finds what has ps print the environment of processes, which may hold secrets:
// the letter e without a dash, -E of some implementations, and the column environ.
var psRisks = eachWord(func(x word.Word) (why string, names []string) {
	cluster := !x.IsOption() && strings.Trim(x.Text, letters) == "" && strings.Contains(x.Text, "e")
	if cluster || x.IsOption() && !strings.HasPrefix(x.Text, "--") && strings.Contains(x.Text, "E") || strings.Contains(x.Text, "environ") {
		why = "the environment of processes (" + x.Text + ") is guarded"
	}
	return why, nil
})

// plusRisks finds the commands that less runs from +word.
var plusRisks = eachWord(func(x word.Word) (why string, names []string) {
	if strings.HasPrefix(x.Text, "+") {
		why = "a command for less (+) is guarded"
	}
	return why, nil
})

// tarRisks finds risky options in tar's first word, which is a cluster even without a
// dash.
func tarRisks(words []word.Word) []Risk {
	if len(words) < 2 || words[1].IsOption() || !strings.ContainsAny(words[1].Text, "IFgC") {
		return nil
	}
	return []Risk{{At: 1, Why: "the options " + words[1].Text + " are guarded"}}
}

// makeRisks finds variables of make that say what runs its recipes.
var makeRisks = eachWord(func(x word.Word) (why string, names []string) {
	name, _, assigns := strings.Cut(x.Text, "=")
	name = strings.TrimRight(name, "?:+!")
	if assigns && !x.IsOption() && (strings.Contains(name, "SHELL") || strings.HasPrefix(name, "MAKE") || strings.ContainsAny(x.Text, "$`")) {
		why = "it sets the variable " + name + " of make"
	}
	return why, []string{name}
})

// pnpmRisks finds settings of pnpm, one of which says what runs scripts.
var pnpmRisks = eachWord(func(x word.Word) (why string, names []string) {
	if strings.HasPrefix(x.Text, "--config.") {
		why = "a setting of pnpm (" + x.Text + ") is guarded"
	}
	return why, nil
})
