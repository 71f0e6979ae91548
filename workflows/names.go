package workflows

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

const maxName = 64 // characters, of a step, an input or an output

const (
	idSyntax       = "a letter or _, then letters, digits, _ and -, 64 at most"
	toolNameSyntax = "a letter or digit, then letters, digits, _ and -, 64 at most"
)

// isStepID reports whether a name can stand behind a dot in an expression, or in
// a folder's name. (A dash needs brackets: inputs["a-b"].)
func isStepID(s string) bool {
	return len(s) <= maxName && isVariableName(strings.ReplaceAll(s, "-", "_")) && s[0] != '-'
}

// idHint suggests the nearest valid id for a text that is none.
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

// Covers reports whether a name is among names, of which one that ends with * covers all
// that begin like it: GITHUB_* for variables, github_* for the tools of a server.
func Covers(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		prefix, isPattern := strings.CutSuffix(n, "*")
		return n == name || isPattern && strings.HasPrefix(name, prefix)
	})
}

// offeredName returns the name under which a tool is offered: that of an MCP server's tool may have
// dots, which are read as _.
func offeredName(name string) string {
	if server, tool, ofServer := strings.Cut(name, "_"); ofServer && !strings.Contains(server, ".") {
		return server + "_" + known.PlainToolName(tool)
	}
	return name
}

// isToolName reports whether every model service accepts a name for a tool.
func isToolName(s string) bool { return known.IsToolName(s) && len(s) <= known.MaxPortableToolName }

// isVariableName reports whether a name is valid for a shell's variable.
func isVariableName(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') && tree.WordLength(s) == len(s)
}
