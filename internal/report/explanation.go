package report

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// An Explanation is the decision on one call, with its reasons, as JSON.
type Explanation struct {
	Version int    `json:"version"`
	Step    string `json:"step"`
	Tool    string `json:"tool"`
	host.Judgement
}

// Explained explains a decision.
func Explained(c host.StepCall, j host.Judgement) Explanation {
	return Explanation{Version: 1, Step: c.Step, Tool: c.Tool, Judgement: j}
}

// Text gives the decision, its rule and its reason; for a command, those of each part.
func (e Explanation) Text() string {
	var b strings.Builder
	fmt.Fprintln(&b, e.Verdict)
	if e.Rule != "" {
		fmt.Fprintf(&b, "rule:   %s\n", term.Visible(e.Rule))
	}
	if e.Never {
		fmt.Fprintln(&b, "rule:   no rule can allow it")
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
		line := fmt.Sprintf("  %-5s %s", part.Verdict, term.Visible(part.Source))
		if part.Rule != "" {
			line += "  (" + term.Visible(part.Rule) + ")"
		}
		if part.Reason != "" && part.Verdict != permission.Allow {
			line += ": " + term.Visible(part.Reason)
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}
