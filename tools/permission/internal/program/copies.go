package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// given is true of a command with one of some options: one of the letters, also inside
// a cluster, or a long option that begins with one of the texts.
func given(letters, long string) When {
	return func(words []word.Word) bool {
		return slices.ContainsFunc(words[1:], func(x word.Word) bool {
			switch {
			case !x.IsOption():
				return false
			case !strings.HasPrefix(x.Text, "--"):
				return strings.ContainsAny(x.Text, letters)
			}
			return list(long).any(func(name string) bool { return strings.HasPrefix(x.Text, "--"+name) })
		})
	}
}

// isOneOf reports whether a word is in a list, which has blanks between its elements.
func isOneOf(x word.Word, words string) bool {
	return x.Kind == word.Static && list(words).has(x.Text)
}

// What the options of a copy may ask for.
var (
	namesTarget  = given("t", "t")
	copiesTrees  = given("rRa", "r a")
	isRecursive  = given("R", "rec")
	FollowsLinks = given("LHk", "d copy") // copies the files that symlinks lead to
	MakesLinks   = given("sl", "s l")     // links files and does not copy them
	exchanges    = given("", "e")         // moves the target to the source, too
)

// lastWritten returns the target of a copy: the last operand, or all operands when an
// option may have given the target.
func (f *Facts) lastWritten(operands, words []word.Word) []word.Word {
	if f.GivesTarget(words) || f.AllTargets.Of(words) {
		return operands
	}
	return operands[max(0, len(operands)-1):]
}

// GivesTarget reports whether an option may name the target of a copy.
func (f *Facts) GivesTarget(words []word.Word) bool { return f.TargetOption && namesTarget(words) }

// unlessSymbolic reports whether ln makes hard links: it has no --symbolic, and no
// cluster with an s that is not in the value of another option.
func unlessSymbolic(words []word.Word) bool {
	return !slices.ContainsFunc(words[1:], func(x word.Word) bool {
		before, _, has := strings.Cut(x.Text, "s")
		return x.IsOption() && (strings.HasPrefix(x.Text, "--sy") || has && !strings.HasPrefix(x.Text, "--") && strings.Trim(before[1:], "bdFfiLnPrTv") == "")
	})
}

// CopyTargets returns the operands of a copy, and the words that may name its target.
func (f *Facts) CopyTargets(words []word.Word) (operands, targets []word.Word) {
	operands, values := f.Operands(words)
	if f.IntoFolder && len(operands) == 1 {
		return operands, append(values, word.Of("."))
	}
	return operands, append(values, f.lastWritten(operands, words)...)
}

// CopiedTrees returns the operands of a copy, a move or a link that may be whole
// directories: the files in them get other names, which the read rules do not know.
func CopiedTrees(words []word.Word) []word.Word {
	known := Named(NameOf(words[0]))
	if known.Trees == nil {
		return nil
	}
	if words = known.Trees(words); words == nil {
		return nil
	}
	operands, _ := known.Operands(words)
	if len(operands) < 2 || known.GivesTarget(words) || exchanges(words) {
		return operands
	}
	return operands[:len(operands)-1]
}

func allWords(words []word.Word) []word.Word { return words }

// copiedByOption returns the words of cp where an option has it copy directories, or a
// word may become such an option; else nil.
func copiedByOption(words []word.Word) []word.Word {
	if copiesTrees(words) || slices.ContainsFunc(words[1:], func(x word.Word) bool { return x.Kind != word.Static && (x.IsOption() || MayBecomeTarget(x)) }) {
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

// MayBecomeTarget reports whether a word of a copy may become an option.
func MayBecomeTarget(x word.Word) bool {
	return x.Unknown() || x.Kind == word.Globbed && (x.IsOption() || len(x.Atoms) == 0 || x.Atoms[0].Wild != pattern.Literal)
}

func gitBrings(words []word.Word) bool {
	sub, known := GitSubcommand(words)
	return !known || sub < len(words) && changesTree(words[sub:])
}

// changesTree reports whether a subcommand of git changes files of the workspace.
func changesTree(words []word.Word) bool {
	if isOneOf(words[0], "checkout switch") {
		makes := slices.ContainsFunc(words, func(x word.Word) bool { return isOneOf(x, "-b -c -B -C") })
		return !makes || len(operandsOf(words)) > 1
	}
	return isOneOf(words[0], "merge pull reset restore stash rebase cherry-pick revert apply am clone submodule worktree "+
		"bisect read-tree checkout-index sparse-checkout subtree")
}
