package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// LastWritten returns the target of a copy: the last operand, or all of them
// when an option may have given the target.
func (f *Facts) LastWritten(operands, words []word.Word) []word.Word {
	if f.GivesTarget(words) || f.AllTargets.Of(words) {
		return operands
	}
	return operands[max(0, len(operands)-1):]
}

// GivesTarget reports whether an option may name the target of a copy.
func (f *Facts) GivesTarget(words []word.Word) bool {
	return f.TargetOption && slices.ContainsFunc(words[1:], func(x word.Word) bool {
		return x.IsOption() && (strings.HasPrefix(x.Text, "--t") || !strings.HasPrefix(x.Text, "--") && strings.Contains(x.Text, "t"))
	})
}

func makesDirectories(words []word.Word) bool {
	for _, x := range words[1:] {
		if x.IsOption() && (strings.HasPrefix(x.Text, "--d") || strings.Contains(x.Text, "d") && !strings.HasPrefix(x.Text, "--")) {
			return true
		}
	}
	return false
}

// asksForHardLinks reports whether cp gives its sources further names.
func asksForHardLinks(words []word.Word) bool {
	return slices.ContainsFunc(words[1:], func(x word.Word) bool {
		return x.IsOption() && (strings.HasPrefix(x.Text, "--l") || !strings.HasPrefix(x.Text, "--") && strings.Contains(x.Text, "l"))
	})
}

// unlessSymbolic reports whether ln gives its sources further names.
func unlessSymbolic(words []word.Word) bool {
	return !slices.ContainsFunc(words[1:], func(x word.Word) bool {
		return x.IsOption() && (strings.HasPrefix(x.Text, "--sy") || !strings.HasPrefix(x.Text, "--") && isSymbolicCluster(x.Text[1:]))
	})
}

// isSymbolicCluster reports whether the letters of a cluster hold the s of ln,
// and not as the value of another option.
func isSymbolicCluster(letters string) bool {
	i := strings.IndexByte(letters, 's')
	return i >= 0 && strings.Trim(letters[:i], "bdFfiLnPrTv") == ""
}

// Operands returns the words without a leading dash and all that follow
// --, and the directories that options of a copy name in the same word.
func (f *Facts) Operands(words []word.Word) (operands, values []word.Word) {
	return SplitOperands(words, f.TargetOption)
}

func SplitOperands(words []word.Word, targetOption bool) (operands, values []word.Word) {
	after := false
	for _, x := range words[1:] {
		switch {
		case x.Is("--") && !after:
			after = true
		case after || !x.IsOption():
			operands = append(operands, x)
		case !targetOption:
		case strings.HasPrefix(x.Text, "--t"):
			if _, value, ok := strings.Cut(x.Text, "="); ok {
				values = append(values, TildeValue(value))
			}
		case !strings.HasPrefix(x.Text, "--"):
			if i := strings.IndexByte(x.Text, 't'); i >= 0 && i+1 < len(x.Text) {
				values = append(values, word.Of(x.Text[i+1:]))
			}
		}
	}
	return operands, values
}

// CopyTargets returns the operands of a copy and which words may name its
// target.
func (f *Facts) CopyTargets(words []word.Word) (operands, targets []word.Word) {
	operands, values := f.Operands(words)
	if f.IntoFolder && len(operands) == 1 {
		return operands, append(values, word.Of("."))
	}
	return operands, append(values, f.LastWritten(operands, words)...)
}

// CopiedTrees returns the operands of a copy, a move or a link that are taken
// whole where they are directories: what is in them gets other names, which the
// read rules do not know.
func CopiedTrees(words []word.Word) []word.Word {
	known := Named(NameOf(words[0]))
	if known.Trees == nil {
		return nil
	}
	if words = known.Trees(words); words == nil {
		return nil
	}
	operands, _ := known.Operands(words)
	if len(operands) < 2 || known.GivesTarget(words) || slices.ContainsFunc(words[1:], exchanges) {
		return operands
	}
	return operands[:len(operands)-1]
}

func allWords(words []word.Word) []word.Word { return words }

func copiedByOption(words []word.Word) []word.Word {
	if slices.ContainsFunc(words[1:], asksForTrees) {
		return words
	}
	return nil
}

func movedByGit(words []word.Word) []word.Word {
	if sub, _ := GitSubcommand(words); sub < len(words) && words[sub].Is("mv") {
		return words[sub:]
	}
	return nil
}

// asksForTrees reports whether an option of cp copies directories, or may.
func asksForTrees(x word.Word) bool {
	if x.Kind != word.Static {
		return x.IsOption() || MayBecomeTarget(x)
	}
	long := strings.HasPrefix(x.Text, "--")
	return x.IsOption() && (strings.HasPrefix(x.Text, "--r") || strings.HasPrefix(x.Text, "--a") || !long && strings.ContainsAny(x.Text, "rRa"))
}

// exchanges reports whether an option of mv moves the target, too.
func exchanges(x word.Word) bool { return x.IsOption() && strings.HasPrefix(x.Text, "--e") }

// FollowsLinks reports whether an option of a copy takes what links lead to.
func FollowsLinks(x word.Word) bool {
	if !x.IsOption() {
		return false
	}
	if strings.HasPrefix(x.Text, "--") {
		return strings.HasPrefix(x.Text, "--d") || strings.HasPrefix(x.Text, "--copy")
	}
	return strings.ContainsAny(x.Text, "LHk")
}

// MayBecomeTarget reports whether a word of a copy may become an option.
func MayBecomeTarget(x word.Word) bool {
	return x.Unknown() || x.Kind == word.Globbed && (x.IsOption() || len(x.Atoms) == 0 || x.Atoms[0].Wild != pattern.Literal)
}
