package main

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/internal/toolname"
)

// describeCall is a call on one line: the tool, and of its arguments the one
// that tells most.
func describeCall(tool string, input json.RawMessage) string {
	const longest = 100
	argument := string(input)
	var line bytes.Buffer
	if json.Compact(&line, input) == nil { // what is read from run.json is indented
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
