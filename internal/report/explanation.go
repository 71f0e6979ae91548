package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// An Explanation is the decision on one call, with its reasons, as JSON.
type Explanation struct {
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

// Explained explains a decision.
func Explained(q host.Question, j host.Judgement) Explanation {
	e := Explanation{
		Version: 1, Step: q.Step, Agent: j.Agent, Tool: q.Tool, Input: j.Input, Offered: j.Offered,
		Decision: j.Verdict.String(), Never: j.Never, Rule: j.Rule, Reason: j.Reason, Path: j.Path,
	}
	for _, part := range j.Parts {
		e.Parts = append(e.Parts, explainedPart{part.Source, part.Verdict.String(), part.Never, part.Rule, part.Reason})
	}
	return e
}

// Text gives the decision, its rule and its reason; for a command, those of each part.
func (e Explanation) Text() string {
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
