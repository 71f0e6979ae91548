package workflows

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// maxName is how many characters the name of a step, an input or an output may
// have.
const maxName = 64

const (
	idSyntax       = "a letter or _, then letters, digits, _ and -, 64 at most"
	toolNameSyntax = "a letter or digit, then letters, digits, _ and -, 64 at most"
)

// isStepID reports whether a name can stand behind a dot in an expression, or in
// a folder's name. (A dash needs brackets: inputs["a-b"].)
func isStepID(s string) bool {
	return len(s) <= maxName && isVariableName(strings.ReplaceAll(s, "-", "_")) && s[0] != '-'
}

// idHint gives the id that is nearest to a text which is none.
func idHint(text string) string {
	id := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" ./:", r) {
			return '_'
		}
		return r
	}, strings.TrimSpace(text))
	if id != "" && id[0] >= '0' && id[0] <= '9' {
		id = "_" + id
	}
	if isStepID(id) {
		return "write " + id
	}
	return idSyntax
}

// isToolName reports whether every service takes a name for that of a tool.
func isToolName(s string) bool { return toolname.Valid(s) && len(s) <= toolname.Portable }

// isVariableName reports whether a shell could name a variable so.
func isVariableName(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') && tree.WordLength(s) == len(s)
}
