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

// awkRisks finds an awk program that runs, reads or writes something. Any operand may be one.
func awkRisks(words []Word) (out []Risk) {
	for _, i := range Named("awk").operands(words) {
		// ">>" replaces itself so that ">>=" does not lose its last two characters.
		text := strings.NewReplacer("||", " ", ">>", ">>", ">=", " ").Replace(words[i].Text)
		_, printed, _ := strings.Cut(text, "print")
		risky := list("system getline | @ ARGV SYMTAB").any(func(risky string) bool { return strings.Contains(text, risky) })
		if risky || strings.Contains(printed, ">") { // anywhere else > compares
			out = append(out, Risk{At: i, Why: "an awk program with system, getline, |, @, or > behind print is guarded"})
		}
	}
	return out
}

// guards reports whether an option is one that a rule has to spell.
func (p *Program) guards(text string) bool {
	fact, _, _, _ := p.option(text)
	return fact != ""
}

// sedRisks finds the scripts of sed that are not plain, as isPlainSed says.
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
		if i >= len(words) || words[i].Kind != Static || !isPlainSed(words[i].Text) {
			i = min(i, len(words)-1)
			out = append(out, Risk{At: i, Why: "the sed script " + words[i].Text + " is guarded"})
		}
	}
	return out
}

// isPlainSed reports whether a script consists of commands with ; between them, each
// [addr[,addr]][!] and then p, d, q, = or an s with plain flags.
func isPlainSed(script string) bool {
	if strings.ContainsAny(script, "\n\x00") {
		return false
	}
	for {
		rest, ok := plainSedCommand(script)
		if !ok || rest == "" {
			return ok
		}
		if script, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), ";"); !ok {
			return false
		}
		if script = strings.TrimLeft(script, " "); script == "" {
			return true
		}
	}
}

// plainSedCommand cuts off one command, which must neither run nor write anything.
func plainSedCommand(script string) (rest string, ok bool) {
	rest, ok = sedAddress(script)
	if !ok {
		return script, false
	}
	if len(rest) < len(script) {
		if second, more := strings.CutPrefix(rest, ","); more {
			after, ok := sedAddress(second)
			if !ok || len(after) == len(second) {
				return script, false
			}
			rest = after
		}
	}
	rest = strings.TrimPrefix(rest, "!")
	if rest != "" && strings.IndexByte("pdq=", rest[0]) >= 0 {
		return rest[1:], true
	}
	return cutSubstitution(rest)
}

// sedAddress cuts off one address, if there is one.
func sedAddress(s string) (rest string, ok bool) {
	switch {
	case s == "":
		return s, true
	case s[0] == '$':
		return s[1:], true
	case s[0] == '/':
		end := closing(s[1:], '/')
		if end < 0 {
			return s, false
		}
		return s[1+end+1:], true
	}
	return strings.TrimLeft(s, "0123456789"), true
}

// cutSubstitution cuts off an s command with a usual delimiter, and with flags that
// neither run nor write anything.
func cutSubstitution(s string) (rest string, ok bool) {
	if len(s) < 2 || s[0] != 's' || strings.IndexByte("/|#,", s[1]) < 0 {
		return s, false
	}
	delimiter := s[1]
	rest = s[2:]
	for range 2 {
		end := closing(rest, delimiter)
		if end < 0 {
			return s, false
		}
		rest = rest[end+1:]
	}
	return strings.TrimLeft(rest, "gpiI0123456789"), true
}

// closing returns the index of the first unescaped delimiter, or -1.
func closing(s string, delimiter byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case delimiter:
			return i
		}
	}
	return -1
}
