package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Call returns a call on one line: the tool, and its most telling argument. Nothing in it acts
// on a terminal.
func Call(tool string, input json.RawMessage) string {
	const longest = 100
	argument := string(input)
	var line bytes.Buffer
	if json.Compact(&line, input) == nil { // run.json is indented
		argument = line.String()
	}
	var values map[string]any
	if json.Unmarshal(input, &values) == nil {
		if len(values) == 0 {
			argument = ""
		}
		if value, ok := values[known.MainArgument(tool)].(string); ok {
			argument = value
		}
	}
	return strings.TrimSpace(term.Visible(tool) + " " + term.Shorten(term.Visible(argument), longest))
}

// denied returns a denied call, and why it was denied, as the end of a sentence.
func denied(e steps.Event) string {
	return joined("`"+Call(e.Tool, e.Input)+"`", Brief(cmp.Or(reasonOf(e), ByRule(e.Rule, "denies it"))))
}

// ByRule is the reason that a rule is, "" if there is none. A call on which no rule decided has
// the reason itself in the place of the rule.
func ByRule(rule, does string) string {
	if key, _, _ := strings.Cut(rule, ":"); key == "" || strings.Contains(key, " ") {
		return rule
	}
	if rule, denied, asked := strings.Cut(rule, ", "); asked {
		return fmt.Sprintf("the rule %q asks for approval: %s", rule, denied)
	}
	return fmt.Sprintf("the rule %q %s", rule, does)
}

// reasonOf returns why a call was denied, without what the line already says.
func reasonOf(e steps.Event) string {
	reason, _, _ := strings.Cut(e.Error, "\nIt printed:\n") // a command, of which nothing lands
	reason = strings.TrimPrefix(reason, "Denied: ")
	var arguments map[string]any
	if json.Unmarshal(e.Input, &arguments) == nil {
		main := arguments[known.MainArgument(e.Tool)]
		reason = strings.TrimPrefix(reason, fmt.Sprintf("%s %q: ", e.Tool, main))
		reason = strings.TrimPrefix(reason, fmt.Sprintf("%v: ", main)) // a script
	}
	return strings.TrimSuffix(reason, ".")
}
