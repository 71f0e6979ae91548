package program

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// OperandRule says which operands of a program it writes.
type OperandRule uint8

const (
	AllOperands    OperandRule = iota + 1
	AfterMode                  // all but the mode that comes first
	AfterOwner                 // all but the owner that comes first
	lastOperand                // the target of a copy
	SecondOnward               // the output that follows an input
	AfterOf                    // of=FILE
	PrefixOnward               // the beginning of the names of the pieces
	NumberedPieces             // pieces in the working directory
	Compressed                 // all, unless the output goes to the standard one
	FirstOnly                  // the archive that comes first
	Unpacks                    // files of any name in the folder where it runs
	ByTar                      // the archive, or what is in it
	ByGit                      // what a subcommand of git changes
)

// Pieces returns a name of those that split makes.
func Pieces(operands []word.Word) (out []word.Word) {
	if len(operands) < 2 {
		return []word.Word{word.Of("./xaa")}
	}
	for _, x := range operands[1:] {
		x.Text += "aa"
		out = append(out, x)
	}
	return out
}

// ClonedInto returns the directories that git clone and git init may make: all
// operands that are no address.
func ClonedInto(words []word.Word) (out []word.Word) {
	sub, known := GitSubcommand(words)
	if !known || sub == len(words) || !words[sub].Is("clone") && !words[sub].Is("init") {
		return nil
	}
	operands, _ := SplitOperands(words[sub:], false)
	for _, x := range operands {
		if x.Kind != word.Static || !strings.Contains(x.Text, ":") {
			out = append(out, x)
		}
	}
	if words[sub].Is("clone") && len(out) == 0 {
		for _, x := range operands {
			out = append(out, word.Of("./"+strings.TrimSuffix(filepath.Base(x.Text), ".git")))
		}
	}
	return out
}

// TildeValue returns what follows = as a word; a ~ in it may be expanded.
func TildeValue(text string) word.Word {
	return word.Word{Kind: word.Static, Text: text}
}

// PrintsInstead reports whether an option of a compressor leaves files as they are.
func PrintsInstead(x word.Word) bool {
	return x.Is("--stdout") || x.Is("--to-stdout") || x.Is("--list") || x.Is("--test") || x.IsOption() && !strings.HasPrefix(x.Text, "--") && strings.ContainsAny(x.Text, "clt")
}

// ListsInstead reports whether an option of unzip, patch or wget has it write no
// file.
func ListsInstead(x word.Word) bool {
	return x.Is("-l") || x.Is("-p") || x.Is("-t") || x.Is("-Z") || x.Is("--dry-run") || x.Is("--spider") || x.Is("-qO-") || x.Is("-O-") ||
		x.Is("-O") || x.Is("--version") || strings.HasPrefix(x.Text, "--output-document")
}

// tarActions are long options of tar that say what it does, as the letters that do.
var tarActions = map[string]string{
	"--extract": "x", "--get": "x", "--create": "c", "--append": "c", "--update": "c", "--delete": "c", "--concatenate": "c", "--catenate": "c", "--to-stdout": "O",
}

// TarWrites returns the archive that tar makes, or the folder into which it puts
// what is in one.
func TarWrites(words []word.Word) (out []word.Word) {
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

// tarOption returns the letters of what a word tells tar, and the archive that it
// names, or that the next word does.
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

func HasReference(words []word.Word) bool {
	for _, x := range words[1:] {
		if strings.HasPrefix(x.Text, "--ref") || x.Unknown() {
			return true
		}
	}
	return false
}

// IsMode reports whether a word is a mode of chmod.
func IsMode(text string) bool {
	return text != "" && (strings.Trim(text, "01234567") == "" || strings.ContainsAny(text, "+-=") && strings.Trim(text, "ugoarwxXst+-=,01234567") == "")
}

// HasDashMode reports whether a mode such as -w was given like an option.
func HasDashMode(words []word.Word) bool {
	for _, x := range words[1:] {
		if x.IsOption() && len(x.Text) > 1 && strings.Trim(x.Text[1:], "rwxXstugo,+-=") == "" {
			return true
		}
	}
	return false
}

// isRecursive reports whether an option has a program go through directories.
func isRecursive(words []word.Word) bool {
	return slices.ContainsFunc(words[1:], func(x word.Word) bool {
		return x.IsOption() && (strings.HasPrefix(x.Text, "--rec") || !strings.HasPrefix(x.Text, "--") && strings.Contains(x.Text, "R"))
	})
}
