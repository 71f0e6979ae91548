package permission

import (
	"slices"
	"strings"
)

// readsBelow reports whether a command goes through directories by itself.
func readsBelow(words []word) bool {
	if words[0].kind != static {
		return true
	}
	return named(programName(words[0])).searches.of(words)
}

// listsBelow reports whether an option has ls go through directories.
func listsBelow(words []word) bool {
	return slices.ContainsFunc(words[1:], func(w word) bool {
		return w.isOption() && (strings.HasPrefix(w.text, "--rec") || strings.Contains(w.text, "R"))
	})
}

// markRoot marks the words that are the root of the file system: the kernel's
// files are below it.
func markRoot(words []pathWord) {
	for i := range words {
		for j, at := range words[i].places {
			if at.Canonical == "/" {
				words[i].places[j].ThroughKernel = true
			}
		}
	}
}
