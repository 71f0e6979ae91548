package host

import (
	"context"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// A guard has the calls of a step judged by its policies.
type guard struct{ policies }

// Decide judges one call.
func (g guard) Decide(_ context.Context, tool string, arguments json.RawMessage) tools.Decision {
	d := g.decide(permission.Call{Tool: tool, Input: arguments})
	return tools.Decision{Verdict: verdictOf(d.Verdict), Rule: d.Rule, Reason: d.Reason}
}

// Offered reports whether a model is shown the tool.
func (g guard) Offered(tool string) bool {
	return g.all(func(p *permission.Policy) bool { return p.Offered(tool) })
}

// verdictOf fails closed: what it does not know is a denial.
func verdictOf(v permission.Verdict) tools.Verdict {
	switch v {
	case permission.Allow:
		return tools.Allow
	case permission.Ask:
		return tools.Ask
	}
	return tools.Deny
}
