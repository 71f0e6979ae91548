package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/internal/toolname"
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
		if value, ok := values[toolname.MainArgument(tool)].(string); ok {
			argument = value
		}
	}
	return strings.TrimSpace(term.Visible(tool) + " " + term.Shorten(term.Visible(argument), longest))
}

// reasonOf returns why a call was denied, without what the line already says.
func reasonOf(e steps.Event) string {
	reason := strings.TrimPrefix(e.Error, "Denied: ")
	var arguments map[string]any
	if json.Unmarshal(e.Input, &arguments) == nil {
		reason = strings.TrimPrefix(reason, fmt.Sprintf("%s %q: ", e.Tool, arguments[toolname.MainArgument(e.Tool)]))
	}
	return strings.TrimSuffix(reason, ".")
}

// because names the rule that denied a call, or why there is none that allows
// it.
func because(rule, reason string) string {
	if rule == "" {
		rule = reason
	}
	if rule == "" {
		return ""
	}
	if asking, is := strings.CutSuffix(rule, ", "+Unasked); is {
		return fmt.Sprintf(" (rule %q asks for approval, but there is no terminal)", Brief(asking))
	}
	return " (" + Brief(rule) + ")"
}
