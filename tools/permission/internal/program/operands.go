package program

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// OperandRule returns which words of a command name what the program writes.
type OperandRule func(f *Facts, words []word.Word) []word.Word

// Operands returns the words that are not options, and all words after --. values are the
// directories that options of a copy name in the same word.
func (f *Facts) Operands(words []word.Word) (operands, values []word.Word) {
	after := false
	for _, x := range words[1:] {
		switch {
		case x.Is("--") && !after:
			after = true
		case after || !x.IsOption():
			operands = append(operands, x)
		case !f.TargetOption:
		case strings.HasPrefix(x.Text, "--t"):
			if _, value, ok := strings.Cut(x.Text, "="); ok {
				values = append(values, word.Of(value))
			}
		case !strings.HasPrefix(x.Text, "--"):
			if i := strings.IndexByte(x.Text, 't'); i >= 0 && i+1 < len(x.Text) {
				values = append(values, word.Of(x.Text[i+1:]))
			}
		}
	}
	return operands, values
}

// operandsOf returns the operands of a program whose options name no target.
func operandsOf(words []word.Word) []word.Word {
	operands, _ := new(Facts).Operands(words)
	return operands
}

func allOperands(f *Facts, words []word.Word) []word.Word {
	operands, values := f.Operands(words)
	return append(operands, values...)
}

// lastOperand returns what a copy writes: its target.
func lastOperand(f *Facts, words []word.Word) []word.Word {
	if f.HardLinks.Of(words) {
		return allOperands(f, words) // a write to one name writes the file under each
	}
	operands, values := f.Operands(words)
	return append(f.lastWritten(operands, words), values...)
}

// afterOwner returns all operands but the first, the owner.
func afterOwner(_ *Facts, words []word.Word) []word.Word {
	operands := operandsOf(words)
	if len(operands) > 0 && !slices.ContainsFunc(words[1:], func(x word.Word) bool { return x.Unknown() || strings.HasPrefix(x.Text, "--ref") }) {
		return operands[1:]
	}
	return operands
}

// afterMode returns all operands but the first, the mode, unless the mode was given as an
// option, such as -w.
func afterMode(f *Facts, words []word.Word) []word.Word {
	operands := operandsOf(words)
	dashed := slices.ContainsFunc(words[1:], func(x word.Word) bool {
		return x.IsOption() && strings.Trim(x.Text[1:], "rwxXstugo,+-=") == ""
	})
	if len(operands) > 0 && isMode(operands[0].Text) && !dashed {
		return afterOwner(f, words)
	}
	return operands
}

// isMode reports whether a word is a mode of chmod.
func isMode(text string) bool {
	return text != "" && (strings.Trim(text, "01234567") == "" || strings.ContainsAny(text, "+-=") && strings.Trim(text, "ugoarwxXst+-=,01234567") == "")
}

// secondOnward returns the output, which follows the input.
func secondOnward(_ *Facts, words []word.Word) []word.Word {
	operands := operandsOf(words)
	return operands[min(1, len(operands)):]
}

// firstOnly returns the archive, which comes first.
func firstOnly(_ *Facts, words []word.Word) []word.Word {
	operands := operandsOf(words)
	return operands[:min(1, len(operands))]
}

// prefixOnward returns a name that split may give to a file.
func prefixOnward(_ *Facts, words []word.Word) (out []word.Word) {
	for _, x := range secondOnward(nil, words) {
		x.Text += "aa"
		out = append(out, x)
	}
	if out == nil {
		return []word.Word{word.Of("./xaa")}
	}
	return out
}

func numberedPieces(*Facts, []word.Word) []word.Word { return []word.Word{word.Of("./xx00")} }

// compressed returns all operands, unless an option leaves the files as they are.
func compressed(_ *Facts, words []word.Word) []word.Word {
	if given("clt", "stdout to-stdout list test")(words) {
		return nil
	}
	return operandsOf(words)
}

// unpacks returns the working directory, for files of any name in it, unless an option of
// unzip, patch or wget says to write none.
func unpacks(_ *Facts, words []word.Word) []word.Word {
	if !unpacksFiles(words) {
		return nil
	}
	return []word.Word{word.Of(".")}
}

func unpacksFiles(words []word.Word) bool {
	return !slices.ContainsFunc(words[1:], func(x word.Word) bool {
		return isOneOf(x, "-l -p -t -Z --dry-run --spider -qO- -O- -O --version") || strings.HasPrefix(x.Text, "--output-document")
	})
}

// afterOf returns the file in dd's of=.
func afterOf(_ *Facts, words []word.Word) (out []word.Word) {
	for _, x := range words[1:] {
		if rest, ok := strings.CutPrefix(x.Text, "of="); ok && x.Kind == word.Static {
			out = append(out, word.Of(rest))
		} else if x.Kind == word.Globbed {
			out = append(out, x)
		}
	}
	return out
}

// gitWrites returns the words of git that name files which it writes or removes. No word
// names the files that change when another branch is checked out.
func gitWrites(_ *Facts, words []word.Word) []word.Word {
	sub, known := GitSubcommand(words)
	if !known || sub == len(words) || words[sub].Kind != word.Static {
		return nil
	}
	words = words[sub:]
	has := func(options string) bool {
		return slices.ContainsFunc(words, func(x word.Word) bool { return isOneOf(x, options) })
	}
	operands := operandsOf(words)
	switch words[0].Text {
	case "clone", "init":
		return clonedInto(words, operands)
	case "mv", "restore":
		return operands
	case "rm":
		if !has("--cached") {
			return operands
		}
	case "clean":
		if len(operands) == 0 && !given("n", "dry-run")(words) {
			return []word.Word{word.Of(".")}
		}
		return operands
	case "checkout":
		if i := slices.IndexFunc(words, func(x word.Word) bool { return x.Is("--") }); i >= 0 {
			return words[i+1:]
		}
		if !has("-b -B --orphan") && len(operands) > 0 {
			operands[0].IfThere = true // or a branch
			return operands
		}
	case "format-patch":
		if !has("--stdout") {
			return []word.Word{word.Of("./0001-x.patch")}
		}
	}
	return nil
}

// clonedInto returns the directories that git clone or git init may create: all operands
// that are not addresses, else a folder named after the address.
func clonedInto(words, operands []word.Word) (out []word.Word) {
	for _, x := range operands {
		if x.Kind != word.Static || !strings.Contains(x.Text, ":") {
			out = append(out, x)
		}
	}
	if words[0].Is("clone") && len(out) == 0 {
		for _, x := range operands {
			out = append(out, word.Of("./"+strings.TrimSuffix(filepath.Base(x.Text), ".git")))
		}
	}
	return out
}

// tarActions maps long options of tar to the letters that mean the same.
var tarActions = map[string]string{
	"--extract": "x", "--get": "x", "--create": "c", "--append": "c", "--update": "c", "--delete": "c", "--concatenate": "c", "--catenate": "c", "--to-stdout": "O",
}

// tarWrites returns the archive that tar makes, or the folder that it extracts into.
func tarWrites(_ *Facts, words []word.Word) (out []word.Word) {
	letters, archive := "", word.Word{}
	for i := range words[1:] {
		more, file := tarOption(words, i+1)
		letters += more
		if file.Text != "" || file.Kind != word.Static {
			archive = file
		}
	}
	if strings.Contains(letters, "x") && !strings.Contains(letters, "O") {
		out = append(out, word.Of("."))
	}
	if strings.ContainsAny(letters, "cruA") && archive.Text != "" && archive.Text != "-" {
		out = append(out, archive)
	}
	return out
}

func tarExtracts(words []word.Word) bool {
	return slices.ContainsFunc(tarWrites(nil, words), func(x word.Word) bool { return x.Is(".") })
}

// tarOption returns the letters of the options in one word of tar, and the archive that
// this word or the next one names.
func tarOption(words []word.Word, at int) (letters string, archive word.Word) {
	text := words[at].Text
	name, value, valued := strings.Cut(text, "=")
	next := func() word.Word {
		if at+1 < len(words) {
			return words[at+1]
		}
		return word.Word{}
	}
	cluster := at == 1 && !strings.HasPrefix(text, "-")
	switch {
	case name == "--file" && valued:
		return "", word.Of(value)
	case name == "--file":
		return "", next()
	case strings.HasPrefix(text, "--"):
		return tarActions[name], word.Word{}
	case !words[at].IsOption() && !cluster:
		return "", word.Word{}
	}
	switch f := strings.IndexByte(text, 'f'); {
	case f < 0:
		return text, word.Word{}
	case cluster || f == len(text)-1:
		return text, next()
	default:
		return text, word.Of(text[f+1:])
	}
}
