package command

import (
	"strings"
)

// languages are for programs whose words are a language of their own: what in these runs,
// reads or writes something.
var languages = map[string]func(words []Word) []Risk{
	"sed": sedRisks,
	"awk": awkRisks, "gawk": awkRisks, "mawk": awkRisks, "nawk": awkRisks,
	"jq": func(words []Word) []Risk {
		return eachWord(words, func(text string) string {
			return when(importsInJQ(text), "a jq program with import or include is guarded")
		})
	},
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
	"less": func(words []Word) []Risk {
		return eachWord(words, func(text string) string {
			return when(strings.HasPrefix(text, "+"), "a command for less (+) is guarded")
		})
	},
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
		case x.isOption() && list("ldflags gcflags asmflags").has(name) && !isPlainFlags(value):
			out = append(out, Risk{At: i + 1, Names: []string{"-" + name, "--" + name}, Why: "the option " + x.Text + " is guarded"})
		}
	}
	return out
}

// isPlainFlags reports whether each flag for the compiler or the linker runs, reads and
// writes nothing.
func isPlainFlags(value string) bool {
	if pattern, rest, ok := strings.Cut(value, "=-"); ok && !strings.HasPrefix(pattern, "-") {
		value = "-" + rest
	}
	fields := strings.Fields(value)
	for i, flag := range fields {
		if !(i > 0 && fields[i-1] == "-X" && strings.Contains(flag, "=")) && !list("-s -w -X -N -l -m -m=2 -S -B -e -d=checkptr -race").has(flag) {
			return false
		}
	}
	return true
}

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
	if len(words) < 2 || words[1].isOption() || !strings.ContainsAny(words[1].Text, "IFgC") {
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
func transferRisks(words []Word) (out []Risk) {
	for i, x := range words[1:] {
		scheme, _, _ := strings.Cut(x.Text, ":")
		if strings.ContainsAny(scheme, "{[") && !strings.ContainsAny(scheme, "\"' ") && scheme != x.Text { // which may become file:
			out = append(out, Risk{At: i + 1, Why: "an address with braces before its : is guarded", Files: true})
		}
		for _, mark := range []string{"file:", "%output{"} {
			if strings.Contains(strings.ToLower(x.Text), mark) {
				out = append(out, Risk{At: i + 1, Names: []string{mark}, Why: "a word with " + mark + " is guarded", Files: true})
			}
		}
	}
	return out
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

// importsInJQ reports whether a jq program may have an import or an include.
func importsInJQ(program string) bool {
	for _, name := range []string{"import", "include"} {
		for rest := program; ; {
			before, after, found := strings.Cut(rest, name)
			if !found {
				break
			}
			if (before == "" || strings.ContainsAny(before[len(before)-1:], "; \t\r\n")) && after != "" && strings.ContainsAny(after[:1], " \t\r\n\"#") {
				return true
			}
			rest = after
		}
	}
	return false
}

// awkRisks finds an awk program that runs, reads or writes something.
func awkRisks(words []Word) []Risk {
	program := -1
	for i := 1; i < len(words) && program < 0; i++ {
		switch text := words[i].Text; {
		case words[i].Is("--"):
			program = i + 1
		case !words[i].isOption():
			program = i
		case text == "-F" || text == "-v" || text == "--assign" || text == "--field-separator":
			i++
		case strings.HasPrefix(text, "-F") || strings.HasPrefix(text, "-v") || strings.HasPrefix(text, "--assign=") || strings.HasPrefix(text, "--field-separator="):
		case !list("--posix --re-interval --sandbox --csv").has(text) && !Named("awk").guards(text):
			return []Risk{unspellable("the options of awk cannot be read")}
		}
	}
	if program < 0 || program >= len(words) {
		return nil
	}
	// ">>" replaces itself so that ">>=" does not lose its last two characters.
	text := strings.NewReplacer("||", " ", ">>", ">>", ">=", " ").Replace(words[program].Text)
	for risky := range list("system getline | @ ARGV SYMTAB").all() {
		if strings.Contains(text, risky) {
			return []Risk{{At: program, Why: "an awk program with " + risky + " is guarded"}}
		}
	}
	if _, printed, _ := strings.Cut(text, "print"); strings.Contains(printed, ">") { // anywhere else > compares
		return []Risk{{At: program, Why: "an awk program with > behind print is guarded"}}
	}
	return nil
}

// guards reports whether an option is one that a rule has to spell.
func (p *Program) guards(text string) bool {
	fact, _, _, _ := p.option(text)
	return fact != ""
}

// sedRisks finds the scripts of sed that are not plain, as isPlainSed says.
func sedRisks(words []Word) (out []Risk) {
	script := func(i int, text string) {
		if i >= len(words) || words[i].Kind != Static || !isPlainSed(text) {
			out = append(out, Risk{At: min(i, len(words)-1), Why: "the sed script " + text + " is guarded"})
		}
	}
	first, options, given := 0, true, false
	for i := 1; i < len(words); i++ {
		text := words[i].Text
		name, value, assigned := strings.Cut(text, "=")
		switch {
		case options && words[i].Is("--"):
			options = false
		case !options || !words[i].isOption():
			if first == 0 {
				first = i
			}
		case name == "--expression" && assigned:
			given = true
			script(i, value)
		case text == "--expression", !strings.HasPrefix(text, "--") && strings.Trim(text[1:len(text)-1], "nErsuz") == "" && strings.HasSuffix(text, "e"):
			if given = true; i+1 < len(words) {
				i++
				script(i, words[i].Text)
			}
		case text == "-l" || text == "--line-length":
			i++
		case list("--quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --sandbox --debug").has(name), name == "--line-length", Named("sed").guards(text):
		case strings.HasPrefix(text, "--") || strings.Trim(text[1:], "nErsuz") != "":
			if at := strings.IndexByte(text, 'e'); !strings.HasPrefix(text, "--") && at > 0 && strings.Trim(text[1:at], "nErsuz") == "" {
				given = true
				script(i, text[at+1:])
			} else if !strings.HasPrefix(text, "-l") {
				return append(out, unspellable("the options of sed cannot be read"))
			}
		}
	}
	if !given && first > 0 {
		script(first, words[first].Text)
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
