package tools

import (
	_ "embed"
	"slices"
	"strings"
)

// ownWords are those that results, events and records are written with, whatever the run is
// about. Workflows say themselves which values are secret: one that is part of these words
// would hide from who reads them how the run went. Shorter words are never hidden.
//
//go:embed ownwords.txt
var ownWords string

// isOwn reports whether a text is one of these words, or a part of one.
func isOwn(text string) bool {
	return slices.ContainsFunc(strings.Fields(ownWords), func(word string) bool { return strings.Contains(word, text) })
}
