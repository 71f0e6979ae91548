package command

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// languages are for programs whose words are a language of their own: what in these runs,
// reads or writes something.
var languages = map[string]func(words []Word) []Risk{
	"sed": sedRisks,
	"awk": awkRisks, "gawk": awkRisks, "mawk": awkRisks, "nawk": awkRisks,
	"go":   goRisks,
	"test": testRisks, "[": testRisks,
}

func testRisks(words []Word) []Risk {
	if isPlainTest(words) {
		return nil
	}
	return []Risk{unspellable("a word of it may become an operator")}
}

// goRisks finds flags for go's compiler and linker that may run something.
func goRisks(words []Word) (out []Risk) {
	for i, x := range words[1:] {
		name, value, glued := strings.Cut(strings.TrimLeft(x.Text, "-"), "=")
		if !glued && i+2 < len(words) {
			value = words[i+2].Text
		}
		if x.isOption() && list("ldflags gcflags asmflags").has(name) && !plainFlags.MatchString(value) {
			out = append(out, Risk{At: i + 1, Names: []string{"-" + name, "--" + name}, Why: "the option " + x.Text + " is guarded"})
		}
	}
	return out
}

// plainFlags are flags for the compiler or the linker that run, read and write nothing.
var plainFlags = regexp.MustCompile(`^([^-=\s]+=)?\s*(-(s|w|N|l|m|m=2|S|B|e|race|d=checkptr|X [^\s=]+=\S*)(\s+|$))*$`)

// sedRisks finds the scripts of sed that run, read or write something, as readSed says.
func sedRisks(words []Word) (out []Risk) {
	p := Named("sed")
	operands, end := p.split(words)
	scripts := gluedScripts(words[:end])
	for _, i := range operands {
		if i <= end && words[i-1].isOption() && p.length(words[i-1].Text) == 2 {
			scripts[i] = words[i].Text
		}
	}
	if len(scripts) == 0 && len(operands) > 0 {
		scripts[operands[0]] = words[operands[0]].Text
	}
	for i, x := range words[1:end] {
		fact, _, _, _ := p.option(x.Text)
		among := strings.Contains(strings.TrimSuffix(x.Text, "e"), "e") && !strings.HasPrefix(x.Text, "--")
		if _, is := scripts[i+1]; x.isOption() && !is && fact == "" && (among || p.length(x.Text) == unreadable) {
			out = append(out, Risk{At: i + 1, Why: "the option " + x.Text + " cannot be read: a script has to stand alone behind -e"})
		}
	}
	for _, i := range slices.Sorted(maps.Keys(scripts)) {
		files, plain := readSed(scripts[i])
		if plain = plain && words[i].Kind == Static; files || !plain {
			out = append(out, Risk{At: i, Why: "the sed script " + scripts[i] + " is guarded", Files: plain})
		}
	}
	return out
}

// gluedScripts returns the scripts of sed that stand in one word with their option, by the index of that.
func gluedScripts(words []Word) map[int]string {
	all := map[int]string{}
	for i, x := range words {
		for _, option := range []string{"--expression=", "-e"} {
			if script, is := strings.CutPrefix(x.Text, option); i > 0 && is && script != "" && x.Kind == Static {
				all[i] = script
				break
			}
		}
	}
	return all
}
