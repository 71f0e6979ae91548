package host

import (
	"context"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// A guard judges the calls of a step by its policies.
type guard struct{ policies }

// Decide judges one call.
func (g guard) Decide(_ context.Context, tool string, arguments json.RawMessage) tools.Decision {
	return toolsDecision(g.decide(permission.Call{Tool: tool, Input: arguments}))
}

// Offered reports whether a tool is offered to a model.
func (g guard) Offered(tool string) bool {
	return g.all(func(p *permission.Policy) bool { return p.Offered(tool) })
}

// toolsDecision returns a denial for a verdict that it does not know.
func toolsDecision(d permission.Decision) tools.Decision {
	verdict := tools.Deny
	switch d.Verdict {
	case permission.Allow:
		verdict = tools.Allow
	case permission.Ask:
		verdict = tools.Ask
	}
	return tools.Decision{Verdict: verdict, Rule: d.Rule, Reason: d.Reason}
}
