package command

import (
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

// isGuarded reports whether an option is one that a rule has to spell.
func (p *Program) isGuarded(text string) bool {
	fact, _, _, _ := p.option(text)
	return fact != ""
}

// sedRisks finds the scripts of sed that run, read or write something, as readSed says.
func sedRisks(words []Word) (out []Risk) {
	p, scripts := Named("sed"), []int(nil)
	for i, x := range words {
		text := x.Text
		if x.Is("--") {
			break
		}
		at := strings.IndexByte(text, 'e')
		switch {
		case i == 0 || !x.isOption() || p.isGuarded(text):
		case text == "--expression", text[1] != '-' && at > 0 && p.length(text) == 2:
			scripts = append(scripts, i+1)
		case strings.HasPrefix(text, "--expression="):
			words = slices.Clone(words)
			words[i], scripts = Of(strings.TrimPrefix(text, "--expression=")), append(scripts, i)
		case text[1] != '-' && at > 0 && p.length(text[:at]) == 1:
			words = slices.Clone(words)
			words[i], scripts = Of(text[at+1:]), append(scripts, i)
		case p.length(text) == unreadable:
			return []Risk{unspellable("the options of sed cannot be read")}
		}
	}
	if operands := p.operands(words); scripts == nil && len(operands) > 0 {
		scripts = operands[:1]
	}
	for _, i := range scripts {
		files, plain := false, false
		if i < len(words) && words[i].Kind == Static {
			files, plain = readSed(words[i].Text)
		}
		if files || !plain {
			i = min(i, len(words)-1)
			out = append(out, Risk{At: i, Why: "the sed script " + words[i].Text + " is guarded", Files: plain})
		}
	}
	return out
}
