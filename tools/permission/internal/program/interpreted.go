package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Interprets says which words of a program are no names of files, but something
// that the program reads: a script, an address, the name of a variable. What
// files are called must not become one of them.
type Interprets uint8

const (
	firstOperand Interprets = iota + 1
	firstWord
	everyWord
)

// interpretedRisks finds the words that a program interprets and that the names
// of files may become.
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

// LastScript returns where the last word stands that a program interprets as a script,
// and -1 where that is not known.
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

// commandRisks finds that a program may take each of its words, or what is in the file
// that one names, for commands to run.
var commandRisks = eachWord(func(word.Word) (why string, names []string) { return "it runs what its words say", nil })

// sqlRisks finds what has sqlite3 run programs, and read and write files: commands that
// begin with a dot, but for those that only show, and functions.
var sqlRisks = eachWord(func(x word.Word) (why string, names []string) {
	if x.Kind != word.Static || !isPlainSQL(x.Text) {
		why = "what sqlite3 is told (" + x.Text + ") is guarded"
	}
	return why, nil
})

// plainDots are the commands of sqlite3 that change how results look, or show what is
// in a database.
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

// yqRisks finds a program that reads files by names that no word holds, or runs one.
var yqRisks = eachWord(func(x word.Word) (why string, names []string) {
	if strings.Contains(x.Text, "load") || strings.Contains(x.Text, "system") {
		why = "a yq program with load or system is guarded"
	}
	return why, nil
})

// responseRisks finds the files of options that programs read.
var responseRisks = eachWord(func(x word.Word) (why string, names []string) {
	if strings.HasPrefix(x.Text, "@") {
		why = "a file of options (" + x.Text + ") is guarded"
	}
	return why, []string{"@"}
})

// namesOnly reports whether the words of a command that are not known can't be
// anything but names of files, and what is searched for: no option that runs a
// program, no script and no address.
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

// mayBeOption reports whether a word that is not known may become an option.
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

// heedsOptions reports whether an option of a program may do more than to pick files.
func (f *Facts) heedsOptions() bool {
	return (f.Options != nil || f.Risks != nil || f.Runs != 0 || f.Bare != "") && !f.OnlyFiles
}

// mayBeOfKernel reports whether a path that begins so may be one of the kernel's files.
func mayBeOfKernel(lead string) bool {
	return slices.ContainsFunc([]string{"/proc/", "/sys/", "/dev/"}, func(dir string) bool {
		return lead != "" && strings.HasPrefix(lead, "/") && strings.HasPrefix(dir, lead) || strings.Contains(lead+"/", dir)
	})
}

// beginsPlainly reports whether a word is one that can't be an option.
func beginsPlainly(x word.Word) bool {
	return x.Plain || x.Kind == word.Dynamic && x.Lead != "" && x.Lead[0] != '-' && x.Lead[0] != '+'
}

func ChangesInPlace(x word.Word) bool {
	return x.IsOption() && slices.ContainsFunc(Named("sed").Options.names(x.Text), func(name string) bool { return name == "-i" || name == "--in-place" })
}

// MaxMarks bounds how many parts of a word are tried as paths.
const MaxMarks = 64

// transferRisks finds the words of curl and wget that name files in the syntax
// of a URL, where a path can be written in many ways, and the part of curl's
// --write-out that writes a file.
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

// mayBecomeFile reports whether one of the addresses that curl makes of braces
// and brackets is that of a file.
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

// afterCharacter returns what may follow a character where an address begins with
// it, or with a group of curl's that does.
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
