package workflows

import (
	"regexp"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// listHint shows how a value that is no list would be written as one.
func listHint(n *tree.Node) string {
	switch {
	case n.Kind == tree.KindMap:
		return "each of its items begins with a dash"
	case n.Kind != tree.KindString || strings.Contains(n.Text, "\n"):
		return ""
	}
	return inList(strings.FieldsFunc(n.Text, func(r rune) bool { return r == ',' || r == ' ' }))
}

// inList proposes a list of some words.
func inList(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = tree.InBrackets(strings.TrimSpace(word))
	}
	return "write [" + tree.Clip(strings.Join(quoted, ", "), 200) + "]"
}

// What a scalar must be, for [scalarHint].
const (
	aBoolean     = "true or false"
	aWholeNumber = "a whole number"
	aNumber      = "a number"
	aDuration    = "a length of time"
)

// scalarHints say how a scalar is written that is something else, by what it must be and what it is; $1 is
// the first group of the pattern. The first that fits counts.
var scalarHints = []struct{ want, pattern, hint string }{
	{aBoolean, `(?i)^(?:yes|on|true|1)$`, "write true"},
	{aBoolean, `(?i)^(?:no|off|false|0)$`, "write false"},
	{aWholeNumber, `^(\d+)[kK]$`, "write ${1}_000"},
	{aWholeNumber, `^(\d+)[mM]$`, "write ${1}_000_000"},
	{aWholeNumber, `^(\d+)$`, "write $1; in quotes it is a text"},
	{aNumber, `^\$?(\d+(?:\.\d+)?)$`, "write $1"},
	{aDuration, `^(?:0+|-.*)$`, "such as 30s or 10m; without one there is no limit"},
	{aDuration, `^(\d+)$`, "give a unit: ${1}s or ${1}m, say"},
	{aDuration, `^(\d+) ?(ms|[smh])(?:[a-z]*)$`, "write $1$2"},
	{aDuration, `^\d+ ?d`, "the longest unit is the hour: a day is 24h"},
	{aDuration, ``, "such as 500ms, 30s, 10m or 1h30m"},
}

// scalarHint says how a scalar is written that must be something else.
func scalarHint(want string, n *tree.Node) string {
	for _, s := range scalarHints {
		pattern := regexp.MustCompile(s.pattern)
		if at := pattern.FindStringSubmatchIndex(n.Text); at != nil && s.want == want {
			return string(pattern.ExpandString(nil, s.hint, n.Text, at))
		}
	}
	return ""
}
