package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Interprets says which words a program takes not for names of files but for something
// else: a script, an address, the name of a variable. A glob must not put names of files
// in their place.
type Interprets uint8

const (
	firstOperand Interprets = iota + 1
	firstWord
	everyWord
)

// interpretedRisks finds globs in the place of words that a program interprets.
func interpretedRisks(key string, which Interprets, words []word.Word) []Risk {
	if which == 0 {
		return nil
	}
	script := LastScript(key, words)
	for i, w := range words[1:] {
		if which == firstOperand && script > 0 && i+1 > script {
			return nil
		}
		if w.Kind == word.Globbed {
			return []Risk{Unspellable("the names of files may become what " + key + " interprets")}
		}
		if which == firstWord && i == 0 || which == firstOperand && !w.IsOption() && !strings.HasPrefix(words[i].Text, "-") {
			return nil
		}
	}
	return nil
}

// LastScript returns the index of the last word that a program interprets as a script,
// or -1 when that is not known.
func LastScript(key string, words []word.Word) int {
	scripts := Named(key).Scripts
	if scripts == nil {
		return -1
	}
	found, known := scripts(words)
	if !known || len(found) == 0 || words[slices.Max(found)].Kind != word.Static {
		return -1
	}
	return slices.Max(found)
}

// commandRisks is for programs that may run each of their words, or the contents of the
// files that these name.
var commandRisks = eachWord(func(word.Word) (why string, names []string) { return "it runs what its words say", nil })

// sqlRisks finds what has sqlite3 run programs, or read or write files: functions, and
// the commands that begin with a dot, except those that only show something.
var sqlRisks = eachWord(func(x word.Word) (why string, names []string) {
	if x.Kind != word.Static || !isPlainSQL(x.Text) {
		why = "what sqlite3 is told (" + x.Text + ") is guarded"
	}
	return why, nil
})

// plainDots are the commands of sqlite3 that set how results look, or show a database.
const plainDots list = ".databases .dump .fullschema .headers .help .indexes .mode .nullvalue .schema .separator .show .stats .tables .timeout .timer .width"

func isPlainSQL(text string) bool {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 0 && strings.HasPrefix(fields[0], ".") && !strings.HasPrefix(fields[0], "./") && !plainDots.has(fields[0]) {
			return false
		}
	}
	text = strings.ToLower(text)
	return !list("writefile readfile load_extension edit fts3_tokenizer attach vacuum |").any(func(risky string) bool {
		return strings.Contains(text, risky)
	})
}

// compilerRisks finds the options that have a compiler run or load a program, pass
// options on to one, or write a file beside its output.
var compilerRisks = eachWord(func(x word.Word) (why string, names []string) {
	for option := range list("@ -B -Wl, -Wa, -Wp, -X -MF -aux-info -fuse-ld -fplugin -fprofile- -fdump- -load -save-temps").all() {
		if strings.HasPrefix(x.Text, option) {
			return "the option " + x.Text + " is guarded", []string{option}
		}
	}
	return "", nil
})

// yqRisks finds a yq program that reads files whose names are not words of the command,
// or that runs a program.
var yqRisks = eachWord(func(x word.Word) (why string, names []string) {
	if strings.Contains(x.Text, "load") || strings.Contains(x.Text, "system") {
		why = "a yq program with load or system is guarded"
	}
	return why, nil
})

// responseRisks finds the names of files from which a program reads options.
var responseRisks = eachWord(func(x word.Word) (why string, names []string) {
	if strings.HasPrefix(x.Text, "@") {
		why = "a file of options (" + x.Text + ") is guarded"
	}
	return why, []string{"@"}
})

// namesOnly reports whether the words of a command that are not known can only be names
// of files, or the text of a search: not an option that runs a program, a script or an
// address.
func namesOnly(words []word.Word) bool {
	known := Named(NameOf(words[0]))
	if known.Wide != nil && known.Wrapper == nil && !known.Wide.RunsFiles || known.Interprets == everyWord {
		return false
	}
	if known.heedsOptions() && mayBeOption(words) {
		return false
	}
	operand, script := false, LastScript(NameOf(words[0]), words)
	for i, x := range words[1:] {
		switch {
		case x.Is("--"):
		case !x.Unknown():
			operand = operand || !x.IsOption() && !strings.HasPrefix(words[i].Text, "-")
		case mayBeOfKernel(x.Lead), known.Interprets == firstWord && i == 0, known.Interprets == firstOperand && !operand && !(script > 0 && i+1 > script):
			return false
		}
	}
	return true
}

// mayBeOption reports whether one of the words that are not known may become an option.
func mayBeOption(words []word.Word) bool {
	for _, x := range words[1:] {
		if x.Is("--") {
			return false
		}
		if x.Unknown() && !beginsPlainly(x) {
			return true
		}
	}
	return false
}

// heedsOptions reports whether an option of the program may do more than choose files.
func (f *Facts) heedsOptions() bool {
	return (f.Options != nil || f.Risks != nil || f.Runs != 0 || f.Bare != "") && !f.OnlyFiles
}

// mayBeOfKernel reports whether a path with a known beginning may be one of the kernel's
// files.
func mayBeOfKernel(lead string) bool {
	return slices.ContainsFunc([]string{"/proc/", "/sys/", "/dev/"}, func(dir string) bool {
		return lead != "" && strings.HasPrefix(lead, "/") && strings.HasPrefix(dir, lead) || strings.Contains(lead+"/", dir)
	})
}

// beginsPlainly reports whether a word that is not known can't be an option.
func beginsPlainly(x word.Word) bool {
	return x.Plain || x.Kind == word.Dynamic && x.Lead != "" && x.Lead[0] != '-' && x.Lead[0] != '+'
}

// ChangesInPlace reports whether a word of sed may hold the option -i.
func ChangesInPlace(x word.Word) bool {
	return x.IsOption() && slices.ContainsFunc(Named("sed").Options.names(x.Text), func(name string) bool { return name == "-i" || name == "--in-place" })
}

// MaxMarks is how many parts of one word are tried as paths at most.
const MaxMarks = 64

// transferRisks finds the words of curl and wget that name files as URLs, in which a path
// can be written in many ways, and the directive of curl's --write-out that writes a file.
func transferRisks(words []word.Word) (out []Risk) {
	for i, w := range words[1:] {
		text := strings.ToLower(w.Text)
		for _, mark := range []string{"file:", "%output{"} {
			if strings.Contains(text, mark) || mark == "file:" && mayBecomeFile(text) {
				out = append(out, Risk{At: i + 1, Names: []string{mark}, Why: "a word with " + mark + " is guarded"})
			}
		}
	}
	return out
}

// mayBecomeFile reports whether curl may expand braces and brackets to a URL that begins
// with file:.
func mayBecomeFile(text string) bool {
	const scheme = "file:"
	rests := []string{text}
	for _, want := range []byte(scheme) {
		var next []string
		for _, rest := range rests {
			next = append(next, afterCharacter(rest, want, 0)...)
		}
		if len(next) > MaxMarks {
			return true
		}
		rests = next
	}
	return len(rests) > 0
}

// afterCharacter returns the texts that may follow a character at the beginning of an
// address, where a group in braces or brackets may stand for it.
func afterCharacter(text string, want byte, depth int) (out []string) {
	if text == "" || depth > MaxMarks {
		return nil
	}
	if text[0] == want {
		return []string{text[1:]}
	}
	closing := map[byte]string{'{': "}", '[': "]"}[text[0]]
	group, rest, ok := strings.Cut(text[1:], closing)
	switch {
	case closing == "" || !ok:
	case text[0] == '[':
		if len(group) >= 3 && group[1] == '-' && group[0] <= want && want <= group[2] {
			out = append(out, rest)
		}
	default:
		for choice := range strings.SplitSeq(group, ",") {
			out = append(out, afterCharacter(choice+rest, want, depth+1)...)
			if len(out) > MaxMarks {
				break
			}
		}
	}
	return out
}
