package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// given is when one of some options is there: one of the letters, in a cluster too, or a
// long one that begins so.
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

// isOneOf reports whether a word is one of some, between blanks.
func isOneOf(x word.Word, words string) bool {
	return x.Kind == word.Static && list(words).has(x.Text)
}

// What options of copies do: name the target, copy directories, go through them, take
// what links lead to, make links of files, and move the target, too.
var (
	namesTarget  = given("t", "t")
	copiesTrees  = given("rRa", "r a")
	isRecursive  = given("R", "rec")
	FollowsLinks = given("LHk", "d copy")
	MakesLinks   = given("sl", "s l")
	exchanges    = given("", "e")
)

// lastWritten returns the target of a copy: the last operand, or all of them
// when an option may have given the target.
func (f *Facts) lastWritten(operands, words []word.Word) []word.Word {
	if f.GivesTarget(words) || f.AllTargets.Of(words) {
		return operands
	}
	return operands[max(0, len(operands)-1):]
}

// GivesTarget reports whether an option may name the target of a copy.
func (f *Facts) GivesTarget(words []word.Word) bool { return f.TargetOption && namesTarget(words) }

// unlessSymbolic reports whether ln gives its sources further names: no cluster has
// the s of ln, that is not a part of another option's value.
func unlessSymbolic(words []word.Word) bool {
	return !slices.ContainsFunc(words[1:], func(x word.Word) bool {
		before, _, has := strings.Cut(x.Text, "s")
		return x.IsOption() && (strings.HasPrefix(x.Text, "--sy") || has && !strings.HasPrefix(x.Text, "--") && strings.Trim(before[1:], "bdFfiLnPrTv") == "")
	})
}

// CopyTargets returns the operands of a copy and which words may name its
// target.
func (f *Facts) CopyTargets(words []word.Word) (operands, targets []word.Word) {
	operands, values := f.Operands(words)
	if f.IntoFolder && len(operands) == 1 {
		return operands, append(values, word.Of("."))
	}
	return operands, append(values, f.lastWritten(operands, words)...)
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
	if len(operands) < 2 || known.GivesTarget(words) || exchanges(words) {
		return operands
	}
	return operands[:len(operands)-1]
}

func allWords(words []word.Word) []word.Word { return words }

// copiedByOption are the words of cp, where an option copies directories, or a word may
// be one.
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
