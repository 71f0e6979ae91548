package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A ToolList is tools as JSON: the built-in ones or, of a file, the tools of each step.
type ToolList struct {
	Version int                `json:"version"`
	File    string             `json:"file,omitempty"`
	Tools   []host.OfferedTool `json:"tools,omitempty"`
	Steps   []host.Offer       `json:"steps,omitempty"`
}

// BuiltIn are tools that no step offers.
func BuiltIn(specs []tools.Spec) ToolList {
	list := ToolList{Version: 1}
	for _, spec := range specs {
		list.Tools = append(list.Tools, host.OfferedTool{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters})
	}
	return list
}

// Tools lists tools: the name and parameters of each, and under them what it does.
func Tools(specs []tools.Spec) string {
	var b strings.Builder
	for _, spec := range specs {
		fmt.Fprintf(&b, "%s {%s}\n", spec.Name, strings.Join(parameters(spec.Parameters), ", "))
		for line := range strings.Lines(strings.TrimSpace(spec.Description)) {
			fmt.Fprintf(&b, "    %s\n", strings.TrimRight(line, "\n"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Offers lists the tools step by step, each with its parameters and the first line of its
// description.
func Offers(offers []host.Offer) string {
	if len(offers) == 0 {
		return "no step has tools\n"
	}
	var b strings.Builder
	for i, offer := range offers {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", term.Visible(offer.Step), offerHead(offer))
		for _, t := range offer.Tools {
			fmt.Fprintf(&b, "  %s {%s}\n", term.Visible(t.Name), term.Visible(strings.Join(parameters(t.Parameters), ", ")))
			first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
			if first != "" {
				fmt.Fprintf(&b, "      %s\n", term.Shorten(term.Visible(first), longestToolLine))
			}
			if len(t.Pinned) > 0 {
				fmt.Fprintf(&b, "      pinned: %s\n", term.Visible(strings.Join(t.Pinned, ", ")))
			}
		}
		if len(offer.Hidden) > 0 {
			fmt.Fprintf(&b, "  not offered, because no rule allows a call: %s\n", term.Visible(strings.Join(offer.Hidden, ", ")))
		}
		if len(offer.Absent) > 0 {
			fmt.Fprintf(&b, "  not available: %s\n", term.Visible(strings.Join(offer.Absent, ", ")))
		}
	}
	return b.String()
}

const longestToolLine = 100

// offerHead says how many tools a step has, and for whom.
func offerHead(o host.Offer) string {
	text := "the model has " + quantity.Count(len(o.Tools), "tool")
	if o.Calls {
		text = "calls " + quantity.Count(len(o.Tools), "tool")
	}
	if o.Agent != "" {
		text += ", agent " + term.Visible(o.Agent)
	}
	return text
}

// parameters lists the properties of an object's schema in its own order; optional ones have a
// question mark.
func parameters(schema json.RawMessage) []string {
	var object struct {
		Properties json.RawMessage
		Required   []string
	}
	if json.Unmarshal(schema, &object) != nil {
		return nil
	}
	required := map[string]bool{}
	for _, name := range object.Required {
		required[name] = true
	}
	var names []string
	for _, name := range keysOf(object.Properties) {
		if !required[name] {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}

// keysOf lists the keys of a JSON object in their order.
func keysOf(object json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return keys
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return keys
		}
		keys = append(keys, fmt.Sprint(key))
	}
	return keys
}
