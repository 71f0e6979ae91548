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
	"yq": func(words []Word) []Risk {
		return eachWord(words, func(text string) string {
			return when(strings.Contains(text, "load") || strings.Contains(text, "system"), "a yq program with load or system is guarded")
		})
	},
	"tar":  tarRisks,
	"make": makeRisks, "gmake": makeRisks,
	"go": goRisks,
	"sqlite3": func(words []Word) []Risk {
		return eachWord(words, func(text string) string { return when(!isPlainSQL(text), "what sqlite3 is told ("+text+") is guarded") })
	},
	"git": gitRisks,
	"cc":  compilerRisks, "gcc": compilerRisks, "g++": compilerRisks, "clang": compilerRisks,
	"ps":   psRisks,
	"curl": transferRisks, "wget": transferRisks,
	"printf": func(words []Word) []Risk {
		return eachWord(words[:min(3, len(words))], func(text string) string { return when(setsByFormat(text), "%n of printf sets a variable") })
	},
	"test": testRisks, "[": testRisks,
}

func when(is bool, why string) string {
	if is {
		return why
	}
	return ""
}

// eachWord applies a check to each argument, which a rule then has to spell whole.
func eachWord(words []Word, why func(text string) string) (out []Risk) {
	for i, x := range words[1:] {
		if why := why(x.Text); why != "" {
			out = append(out, Risk{At: i + 1, Why: why})
		}
	}
	return out
}

func testRisks(words []Word) []Risk {
	if isPlainTest(words) {
		return nil
	}
	return []Risk{unspellable("a word of it may become an operator")}
}

// compilerRisks finds the options with which a compiler passes others on, loads something, or
// writes a file beside its output.
func compilerRisks(words []Word) (out []Risk) {
	for i, x := range words[1:] {
		for _, option := range []string{"-MF", "-Wl,", "-Wa,", "-Wp,", "-fplugin", "-fuse-ld", "-fprofile-", "-fdump-", "-aux-info", "-save-temps"} {
			if strings.HasPrefix(x.Text, option) {
				out = append(out, Risk{At: i + 1, Names: []string{option}, Why: "the option " + x.Text + " is guarded"})
			}
		}
	}
	return out
}

// gitRisks finds addresses of repositories for which git runs a helper program: any
// command for ext::, git-remote-hg for hg::.
func gitRisks(words []Word) (out []Risk) {
	_, at, _ := Named("git").sub(words)
	if at == len(words) || !list("clone fetch ls-remote pull push remote").has(words[at].Text) {
		return nil
	}
	for i, x := range words {
		helper, _, is := strings.Cut(x.Text, "::")
		if is && strings.Trim(strings.ToLower(helper), nameCharacters+"+-.") == "" {
			out = append(out, Risk{At: i, Names: []string{helper + "::"}, Why: "the helper of git " + helper + ":: is guarded"})
		}
	}
	return out
}

// goRisks finds go run and go install of a program that is fetched first, and flags for
// go's compiler and linker that may run something.
func goRisks(words []Word) (out []Risk) {
	for i, x := range words[1:] {
		name, value, glued := strings.Cut(strings.TrimLeft(x.Text, "-"), "=")
		if !glued && i+2 < len(words) {
			value = words[i+2].Text
		}
		switch {
		case strings.Contains(x.Text, "@") && !x.isOption() && (words[1].Is("run") || words[1].Is("install")):
			out = append(out, Risk{At: i + 1, Why: "it runs or installs what is fetched (" + x.Text + ")"})
		case x.isOption() && list("ldflags gcflags asmflags").has(name) && !plainFlags.MatchString(value):
			out = append(out, Risk{At: i + 1, Names: []string{"-" + name, "--" + name}, Why: "the option " + x.Text + " is guarded"})
		}
	}
	return out
}

// plainFlags are flags for the compiler or the linker that run, read and write nothing.
var plainFlags = regexp.MustCompile(`^([^-=\s]+=)?\s*(-(s|w|N|l|m|m=2|S|B|e|race|d=checkptr|X [^\s=]+=\S*)(\s+|$))*$`)

// makeRisks finds variables of make that say what runs its recipes.
func makeRisks(words []Word) (out []Risk) {
	for i, x := range words[1:] {
		name, _, assigns := strings.Cut(x.Text, "=")
		name = strings.TrimRight(name, "?:+!")
		if assigns && !x.isOption() && (strings.Contains(name, "SHELL") || strings.HasPrefix(name, "MAKE") || strings.ContainsAny(x.Text, "$`")) {
			out = append(out, Risk{At: i + 1, Names: []string{name}, Why: "it sets the variable " + name + " of make"})
		}
	}
	return out
}

// tarRisks finds guarded options in tar's first word, which is a cluster even without a
// dash.
func tarRisks(words []Word) []Risk {
	if len(words) < 2 || words[1].isOption() || !strings.ContainsAny(words[1].Text, "IFgCx") {
		return nil
	}
	return []Risk{{At: 1, Why: "the options " + words[1].Text + " are guarded", Files: !strings.ContainsAny(words[1].Text, "IF")}}
}

// psRisks finds what has ps print the environment of processes.
func psRisks(words []Word) []Risk {
	return eachWord(words, func(text string) string {
		letters := strings.ToLower(strings.TrimLeft(text, "-")) != "" && strings.Trim(text, nameCharacters) == "" && strings.Contains(text, "e")
		short := strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, "E")
		return when(letters || short || strings.Contains(text, "environ"), "the environment of processes ("+text+") is guarded")
	})
}

// transferRisks finds addresses that are files, and the directive of curl that writes one.
func transferRisks(words []Word) []Risk {
	risks := eachWord(words, func(text string) string {
		text = strings.ToLower(text)
		return when(strings.Contains(text, "file:") || strings.Contains(text, "%output{"), "a word with file: or %output{ is guarded")
	})
	for i := range risks {
		risks[i].Files = true
	}
	return risks
}

// isPlainSQL reports whether what sqlite3 is told neither runs a program, nor reads or
// writes files, by functions or by commands that begin with a dot.
func isPlainSQL(text string) bool {
	const plain list = ".databases .dump .fullschema .headers .help .indexes .mode .nullvalue .schema .separator .show .stats .tables .timeout .timer .width"
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 0 && strings.HasPrefix(fields[0], ".") && !strings.HasPrefix(fields[0], "./") && !plain.has(fields[0]) {
			return false
		}
	}
	text = strings.ToLower(text)
	return !list("writefile readfile load_extension edit fts3_tokenizer attach vacuum |").any(func(risky string) bool { return strings.Contains(text, risky) })
}

// guards reports whether an option is one that a rule has to spell.
func (p *Program) guards(text string) bool {
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
		case i == 0 || !x.isOption() || p.guards(text):
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
