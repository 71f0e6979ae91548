package report

import (
	"fmt"

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

// Text gives the decision, its rule and its reason; for a command, those of each part.
func (e Explanation) Text() string {
	var p page
	p.line("%v", e.Verdict)
	rule := e.Rule
	if e.Never {
		rule = "no rule can allow it"
	}
	for _, part := range []struct{ name, text string }{{"rule:   ", rule}, {"reason: ", e.Reason}, {"path:   ", e.Path}, {"agent:  ", e.Agent}} {
		if part.text != "" {
			p.line("%s%s", part.name, term.Visible(part.text))
		}
	}
	if len(e.Parts) < 2 {
		return p.String()
	}
	for _, part := range e.Parts {
		line := fmt.Sprintf("  %-5s %s", part.Verdict, term.Visible(part.Source))
		if part.Rule != "" {
			line += "  (" + term.Visible(part.Rule) + ")"
		}
		if part.Reason != "" && part.Verdict != permission.Allow {
			line += ": " + term.Visible(part.Reason)
		}
		p.line("%s", line)
	}
	return p.String()
}
