package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// IsReader reports whether a program only reads, with any options that no rule has
// to spell.
func IsReader(words []word.Word) bool { return Named(words[0].Text).Reads.Of(words) }

func isGoReader(words []word.Word) bool {
	return len(words) > 1 && (words[1].Is("version") || words[1].Is("doc"))
}

// isDateReader reports whether date prints and sets nothing.
func isDateReader(words []word.Word) bool {
	return !slices.ContainsFunc(words[1:], func(w word.Word) bool { return !strings.HasPrefix(w.Text, "+") && !w.Is("-u") })
}

func isGitReader(words []word.Word) bool {
	if len(words) < 2 || words[1].Kind != word.Static {
		return false
	}
	switch words[1].Text {
	case "log", "diff", "show", "status", "ls-files", "ls-tree", "rev-parse", "rev-list", "grep", "blame", "cat-file",
		"describe", "shortlog", "merge-base", "name-rev":
		return true
	}
	return false
}

// ReadsBelow reports whether a command goes through directories by itself.
func ReadsBelow(words []word.Word) bool {
	if words[0].Kind != word.Static {
		return true
	}
	return Named(NameOf(words[0])).Searches.Of(words)
}
