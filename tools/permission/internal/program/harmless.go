package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// isPlainSet reports whether set has no options but -e, -u, -x and -o pipefail.
func isPlainSet(words []word.Word) bool {
	args := words[1:]
	for i := 0; i < len(args); i++ {
		letters, ok := strings.CutPrefix(args[i].Text, "-")
		if args[i].Kind != word.Static || !ok || letters == "" {
			return false
		}
		if plain, option := strings.CutSuffix(letters, "o"); option {
			if i++; i == len(args) || !args[i].Is("pipefail") {
				return false
			}
			letters = plain
		}
		if strings.Trim(letters, "eux") != "" {
			return false
		}
	}
	return len(args) > 0
}

// IsPlainRead reports whether read sets variables of the script's own, with no
// option but -r.
func IsPlainRead(words []word.Word) bool {
	names := 0
	for _, w := range words[1:] {
		switch {
		case w.Is("-r") && names == 0:
		case w.Kind == word.Static && word.IsFreeVariable(w.Text):
			names++
		default:
			return false
		}
	}
	return names > 0
}

// IsTextOnly reports whether a command does nothing with its words but print or
// compare them, so that they may be anything.
func IsTextOnly(words []word.Word) bool {
	if words[0].Kind != word.Static {
		return false
	}
	return Named(words[0].Text).TextOnly.Of(words)
}

// isPlainTest reports whether none of the words of a test that are not known may become
// an operator: some operators evaluate their operands.
func isPlainTest(words []word.Word) bool {
	args := words[1:]
	if !slices.ContainsFunc(args, func(w word.Word) bool { return w.Unknown() || w.Kind == word.Globbed }) {
		return true
	}
	if words[0].Is("[") {
		if !args[len(args)-1].Is("]") {
			return false
		}
		args = args[:len(args)-1]
	}
	if len(args) > 0 && args[0].Is("!") {
		args = args[1:]
	}
	switch len(args) {
	case 1: // a text that is empty or not
		return isOneWord(args[0])
	case 2:
		return isFileTest(args[0]) && isOneWord(args[1])
	case 3:
		return isComparison(args[1]) && isOneWord(args[0]) && isOneWord(args[2])
	}
	return false
}

// isOneWord reports whether a word becomes exactly one word.
func isOneWord(w word.Word) bool {
	return w.Kind == word.Static || w.Kind == word.Opaque || w.Kind == word.Dynamic
}

// isFileTest reports whether a word is an operator that looks at a file or a
// text.
func isFileTest(op word.Word) bool {
	return op.Kind == word.Static && len(op.Text) == 2 && op.Text[0] == '-' && strings.IndexByte("bcdefghknprstuwxzGLNOS", op.Text[1]) >= 0
}

// isComparison reports whether a word is an operator that compares texts, numbers or
// files. Unlike [[ ]], test and [ do not evaluate the numbers.
func isComparison(op word.Word) bool {
	if op.Kind != word.Static {
		return false
	}
	switch op.Text {
	case "=", "==", "!=", "<", ">", "-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}

// hasStaticFormat reports whether the format of printf is known, and assigns no
// variable.
func hasStaticFormat(words []word.Word) bool {
	args := words[1:]
	if len(args) > 0 && args[0].Is("--") {
		args = args[1:]
	}
	return len(args) > 0 && args[0].Kind == word.Static && !assignsByFormat(args[0].Text)
}

// assignsByFormat reports whether a format has %n, which sets a variable.
func assignsByFormat(format string) bool {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("-+ #0123456789.*hlLjzt'", format[i]) >= 0; i++ {
		}
		if i < len(format) && format[i] == 'n' {
			return true
		}
	}
	return false
}

// IsReader reports whether a command only reads, as long as it has no options that a rule
// has to spell.
func IsReader(words []word.Word) bool { return Named(words[0].Text).Reads.Of(words) }

func isGoReader(words []word.Word) bool {
	if len(words) > 1 && words[1].Is("env") {
		return !slices.ContainsFunc(words[2:], func(w word.Word) bool { return w.Kind != word.Static || w.IsOption() })
	}
	return len(words) > 1 && (words[1].Is("version") || words[1].Is("doc"))
}

// isDateReader reports whether date prints and sets nothing.
func isDateReader(words []word.Word) bool {
	return !slices.ContainsFunc(words[1:], func(w word.Word) bool { return !strings.HasPrefix(w.Text, "+") && !w.Is("-u") })
}

func isGitReader(words []word.Word) bool {
	if len(words) > 2 && words[1].Is("--no-pager") {
		words = words[1:]
	}
	if len(words) < 2 || words[1].Kind != word.Static {
		return false
	}
	switch words[1].Text {
	case "log", "diff", "show", "status", "ls-files", "ls-tree", "rev-parse", "rev-list", "grep", "blame", "cat-file",
		"describe", "shortlog", "merge-base", "name-rev":
		return true
	case "branch", "tag":
		return !slices.ContainsFunc(words[2:], func(w word.Word) bool { return w.Kind != word.Static || !gitLists.has(w.Text) })
	case "stash", "worktree":
		return len(words) == 3 && words[2].Is("list")
	}
	return false
}

// gitLists are the options that list branches and tags. With a name beside them git may
// create a branch or a tag.
const gitLists list = "-a -r -v -vv -l --all --remotes --verbose --list --show-current --no-color --no-column --merged --no-merged"

// ReadsBelow reports whether a command goes through directories by itself.
func ReadsBelow(words []word.Word) bool {
	if words[0].Kind != word.Static {
		return true
	}
	return Named(NameOf(words[0])).Searches.Of(words)
}

// Filter is what a program at the end of a pipe may be given.
type Filter struct {
	Options string // letters
	Sets    int    // how many operands do not name a file
}

// OnlyOptions reports whether words are short options with the given letters, values of
// options, and at most so many operands. A value is a number, a list of fields or one
// character.
func OnlyOptions(words []word.Word, letters string, operands int) bool {
	valued := false // the word before may take this one as its value
	for _, w := range words {
		switch {
		case w.Kind != word.Static:
			return false
		case w.IsOption() && !strings.HasPrefix(w.Text, "--"):
			name, rest := w.Text[1:2], w.Text[2:]
			if strings.Trim(w.Text[1:], letters+"0123456789") != "" && (!strings.Contains(letters, name) || len(rest) > 1 && strings.Trim(rest, "0123456789,-.nr") != "") {
				return false
			}
			valued = true
		case valued && (strings.Trim(w.Text, "+0123456789,-.nr") == "" || len([]rune(w.Text)) == 1):
			valued = false
		case operands > 0:
			operands--
		default:
			return false
		}
	}
	return true
}
