package permission

import (
	"slices"
	"strings"
)

// onlyReads reports whether a part of a command changes nothing.
func (u *unit) onlyReads() bool {
	return u.unsure == "" && u.reading(func(g risk) bool { return g.level != whenHeld })
}

// reading reports whether a part changes nothing where none of its risks is one that
// says so.
func (u *unit) reading(isDoubt func(risk) bool) bool {
	if u.refused != "" || len(u.writes) > 0 || slices.ContainsFunc(u.risks(), isDoubt) {
		return false
	}
	if u.isFile || len(u.words) == 0 && u.needsNoRule {
		return true
	}
	return len(u.words) > 0 && u.words[0].is(u.name) && isReader(u.words)
}

// isReader reports whether a program only reads, with any options that no rule has
// to spell.
func isReader(words []word) bool { return named(words[0].text).reads.of(words) }

func isGoReader(words []word) bool {
	return len(words) > 1 && (words[1].is("version") || words[1].is("doc"))
}

// isDateReader reports whether date prints and sets nothing.
func isDateReader(words []word) bool {
	return !slices.ContainsFunc(words[1:], func(w word) bool { return !strings.HasPrefix(w.text, "+") && !w.is("-u") })
}

func isGitReader(words []word) bool {
	if len(words) < 2 || words[1].kind != static {
		return false
	}
	switch words[1].text {
	case "log", "diff", "show", "status", "ls-files", "ls-tree", "rev-parse", "rev-list", "grep", "blame", "cat-file",
		"describe", "shortlog", "merge-base", "name-rev":
		return true
	}
	return false
}
