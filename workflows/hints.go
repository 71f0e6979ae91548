package workflows

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// mapHint shows how a value that is no map is written as one: under the first key that takes it.
func (o *object[T]) mapHint(p *parser, n *tree.Node) string {
	switch key, rest, _ := strings.Cut(strings.Replace(n.Text, " ", ":", 1), ":"); {
	case n.Kind == tree.KindNull:
		return ""
	case rest != "" && slices.Contains(o.keys(), key):
		return "a colon and a space stand behind the key: write " + key + ": " + tree.Clip(strings.TrimLeft(rest, ": "), 40)
	case n.Kind == tree.KindString && o.name == "step":
		return "a command is written run: " + tree.Clip(n.Text, 40)
	case n.Kind == tree.KindList && len(n.Items) > 0 && len(n.Items[0].Entries) > 0:
		return "its keys stand without dashes: {" + n.Items[0].Entries[0].Key.Text + ": …}"
	case o.short && n.Kind != tree.KindList:
		for _, f := range o.fields {
			trial := p.trial()
			if f.read(trial, n, new(T)); len(trial.Found) == 0 {
				return "write {" + f.key + ": " + inBraces(n) + "}"
			}
		}
	}
	return o.keysHint(n)
}

// listHint shows how a value that is no list would be written as one.
func listHint(what string, n *tree.Node) string {
	switch {
	case what == "tools" && slices.Contains([]string{"*", "all", "any"}, n.Text):
		return tree.NoWordForAll
	case len(n.Entries) > 0:
		return itemsHint(what, n.Entries)
	case n.Kind != tree.KindString || strings.Contains(n.Text, "\n"):
		return ""
	case what == "checks":
		return "write [{run: " + inBraces(n) + "}]"
	case what == "command":
		return inList(strings.Fields(n.Text))
	}
	words := strings.FieldsFunc(n.Text, func(r rune) bool { return strings.ContainsRune(",|", r) || r == '/' && what == "choices" })
	if what == "choices" && len(words) < 2 {
		return "such as [yes, no]"
	}
	return inList(words)
}

// itemsHint shows how a map would be written as a list.
func itemsHint(what string, entries []tree.Entry) string {
	name := map[string]string{"steps": "id", "cases": "name", "checks": "run", "calls": "tool"}[what]
	key, value := tree.Clip(strings.TrimLeft(entries[0].Key.Text, "–—−•*- "), 40), entries[0].Value
	switch {
	case name == "":
		keys := make([]string, len(entries))
		for i, e := range entries {
			keys[i] = e.Key.Text
		}
		return inList(keys)
	case value.Kind == tree.KindMap:
		return "each of them begins with a dash: - " + name + ": " + key
	}
	return "each of them begins with a dash: - " + key + ": " + tree.Clip(value.Text, 40)
}

// namesHint shows how a value that is no map is written by names.
func namesHint(what string, n *tree.Node) string {
	name, value := "name", "…"
	if what == "permissions" {
		name = "read"
	}
	switch {
	case n.Kind == tree.KindString || n.Kind == tree.KindBool:
		value = inBraces(n)
	case len(n.Items) == 0:
		return ""
	case n.Items[0].Get("name") != nil:
		name = tree.Clip(n.Items[0].Get("name").Text, 40)
	case n.Items[0].Kind == tree.KindString:
		name, _, _ = strings.Cut(tree.Clip(n.Items[0].Text, 40), "=")
	}
	return fmt.Sprintf("each stands under its name, without a dash: %s: {%s: %s}", what, name, value)
}

// inList proposes a list of some words.
func inList(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = tree.InBrackets(strings.TrimSpace(word))
	}
	return "write [" + tree.Clip(strings.Join(quoted, ", "), 200) + "]"
}

// inBraces writes a scalar as it stands in a map in braces.
func inBraces(n *tree.Node) string { return tree.InBrackets(tree.Clip(n.Text, 80)) }

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
