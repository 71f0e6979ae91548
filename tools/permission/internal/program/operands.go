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

// TarWrites returns the archive that tar makes, or the folder into which it puts
// what is in one.
func TarWrites(words []word.Word) (out []word.Word) {
	letters, archive := "", word.Word{}
	for i, x := range words[1:] {
		cluster := i == 0 && !strings.HasPrefix(x.Text, "-")
		switch name, value, valued := strings.Cut(x.Text, "="); {
		case name == "--file" && valued:
			archive = word.Of(value)
		case name == "--extract" || name == "--get":
			letters += "x"
		case name == "--create" || name == "--append" || name == "--update" || name == "--delete" || name == "--concatenate" || name == "--catenate":
			letters += "c"
		case x.IsOption() && !strings.HasPrefix(x.Text, "--") || cluster:
			letters += x.Text
			if at := strings.IndexByte(x.Text, 'f'); at >= 0 && i+2 < len(words) && (cluster || at == len(x.Text)-1) {
				archive = words[i+2]
			} else if at >= 0 && !cluster {
				archive = word.Of(x.Text[at+1:])
			}
		case name == "--file" && i+2 < len(words):
			archive = words[i+2]
		}
	}
	if strings.Contains(letters, "x") && !strings.Contains(letters, "O") && !slices.ContainsFunc(words[1:], func(x word.Word) bool { return x.Is("--to-stdout") }) {
		out = append(out, word.Of("."))
	}
	if strings.ContainsAny(letters, "cruA") && archive.Text != "" && archive.Text != "-" {
		out = append(out, archive)
	}
	return out
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
