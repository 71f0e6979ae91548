package report

import (
	"encoding/json"
	"maps"
	"slices"
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

// Text lists the tools, each with its parameters: of a file step by step, with the first line of each
// description, and the built-in ones with all of it.
func (l ToolList) Text() string {
	var p page
	for _, t := range l.Tools {
		p.tool("", t)
		p.line("    %s\n", strings.ReplaceAll(term.VisibleLines(strings.TrimSpace(t.Description)), "\n", "\n    "))
	}
	for i, offer := range l.Steps {
		if i > 0 {
			p.line("")
		}
		p.line("%s: %s", term.Visible(offer.Step), offerHead(offer))
		for _, t := range offer.Tools {
			p.tool("  ", t)
			if first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n"); first != "" {
				p.line("      %s", term.Shorten(term.Visible(first), 100))
			}
			p.names("      pinned", t.Pinned)
		}
		p.names("  not offered, because no rule allows a call", offer.Hidden)
		p.names("  not available", offer.Absent)
	}
	if len(l.Tools)+len(l.Steps) == 0 {
		p.line("no step has tools")
	}
	return p.String()
}

func (p *page) tool(indent string, t host.OfferedTool) {
	p.line("%s%s {%s}", indent, term.Visible(t.Name), term.Visible(parameters(t.Parameters)))
}

// names writes a list of names, if there are some.
func (p *page) names(head string, names []string) {
	if len(names) > 0 {
		p.line("%s: %s", head, term.Visible(strings.Join(names, ", ")))
	}
}

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

// parameters lists the properties of an object's schema: those that are required, and then optional ones
// with a question mark.
func parameters(schema json.RawMessage) string {
	var object struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if json.Unmarshal(schema, &object) != nil {
		return ""
	}
	names := object.Required
	for _, name := range slices.Sorted(maps.Keys(object.Properties)) {
		if !slices.Contains(object.Required, name) {
			names = append(names, name+"?")
		}
	}
	return strings.Join(names, ", ")
}
