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
	d := g.decide(permission.Call{Tool: tool, Input: arguments})
	return tools.Decision{Verdict: verdictOf(d.Verdict), Rule: d.Rule, Reason: d.Reason}
}

// Offered reports whether a tool is offered to a model.
func (g guard) Offered(tool string) bool {
	return g.all(func(p *permission.Policy) bool { return p.Offered(tool) })
}

// verdictOf returns Deny for a verdict that it does not know.
func verdictOf(v permission.Verdict) tools.Verdict {
	switch v {
	case permission.Allow:
		return tools.Allow
	case permission.Ask:
		return tools.Ask
	}
	return tools.Deny
}
