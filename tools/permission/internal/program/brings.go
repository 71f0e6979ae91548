package program

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

func unpacksFiles(words []word.Word) bool { return !slices.ContainsFunc(words[1:], ListsInstead) }

func tarExtracts(words []word.Word) bool {
	return slices.ContainsFunc(TarWrites(words), func(x word.Word) bool { return x.Is(".") })
}

func gitBrings(words []word.Word) bool {
	sub, known := GitSubcommand(words)
	return !known || sub < len(words) && changesTree(words[sub:])
}

// changesTree reports whether a subcommand of git changes files of the workspace.
func changesTree(words []word.Word) bool {
	operands, _ := SplitOperands(words, false)
	switch words[0].Text {
	case "checkout", "switch":
		makes := slices.ContainsFunc(words, func(x word.Word) bool { return x.Is("-b") || x.Is("-c") || x.Is("-B") || x.Is("-C") })
		return !makes || len(operands) > 1
	case "merge", "pull", "reset", "restore", "stash", "rebase", "cherry-pick", "revert", "apply", "am", "clone", "submodule", "worktree",
		"bisect", "read-tree", "checkout-index", "sparse-checkout", "subtree":
		return true
	}
	return false
}
