package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// An explanation is what becomes of one call, and why, as JSON.
type explanation struct {
	Version  int             `json:"version"`
	Step     string          `json:"step"`
	Agent    string          `json:"agent,omitempty"` // whose settings the step takes
	Tool     string          `json:"tool"`
	Input    json.RawMessage `json:"input"`
	Offered  bool            `json:"offered"` // the step lists the tool
	Decision string          `json:"decision"`
	Never    bool            `json:"never,omitempty"` // no rule can allow it
	Rule     string          `json:"rule,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Path     string          `json:"path,omitempty"`
	Parts    []explainedPart `json:"parts,omitempty"` // of a shell command
}

type explainedPart struct {
	Source   string `json:"source"`
	Decision string `json:"decision"`
	Never    bool   `json:"never,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// explained is the explanation of a decision, without the call.
func explained(d permission.Decision) explanation {
	e := explanation{Version: 1, Decision: d.Verdict.String(), Never: d.Never, Rule: d.Rule, Reason: d.Reason, Path: d.Path}
	for _, part := range d.Parts {
		e.Parts = append(e.Parts, explainedPart{part.Source, part.Verdict.String(), part.Never, part.Rule, part.Reason})
	}
	return e
}

// text says what becomes of the call, by which rule, and why; of a command each
// part.
func (e explanation) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, e.Decision)
	if e.Rule != "" {
		fmt.Fprintf(&b, "rule:   %s\n", term.Visible(e.Rule))
	}
	if e.Never {
		fmt.Fprintln(&b, "rule:   none can allow it")
	}
	if e.Reason != "" {
		fmt.Fprintf(&b, "reason: %s\n", term.Visible(e.Reason))
	}
	if e.Path != "" {
		fmt.Fprintf(&b, "path:   %s\n", term.Visible(e.Path))
	}
	if e.Agent != "" {
		fmt.Fprintf(&b, "agent:  %s\n", term.Visible(e.Agent))
	}
	if len(e.Parts) < 2 {
		return b.String()
	}
	for _, part := range e.Parts {
		line := fmt.Sprintf("  %-5s %s", part.Decision, term.Visible(part.Source))
		if part.Rule != "" {
			line += "  (" + term.Visible(part.Rule) + ")"
		}
		if part.Reason != "" && part.Decision != permission.Allow.String() {
			line += ": " + term.Visible(part.Reason)
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}
