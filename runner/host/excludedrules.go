package host

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// checkExcluded warns of a step's rules that allow nothing, because the rules of its agent, which hold
// too, exclude the same calls.
func (c *ruleChecker) checkExcluded(w *workflows.Workflow, step *workflows.Step) {
	if step.Agent == nil || step.Agent.Bounds == nil {
		return
	}
	own, bounds := c.rulesAlone(w.Permissions, step.Agent.Permissions), c.rulesAlone(w.Permissions, step.Agent.Bounds)
	if own == nil || bounds == nil {
		return // unreadable rules are reported already
	}
	for _, tool := range []string{"bash", "read", "write"} {
		if !c.offers(w, tool, w.Permissions, step.Agent.Bounds) {
			continue // the tool as a whole is warned of
		}
		for _, r := range step.Agent.Permissions[tool] {
			inherited := slices.ContainsFunc(step.Agent.Bounds[tool], func(b workflows.Rule) bool { return b.Pos == r.Pos })
			call := exampleOf(tool, r.Pattern)
			if inherited || r.Decision == "deny" || permission.IsCatchAll(r.Pattern) || own.Decide(call).Verdict == permission.Deny || bounds.Decide(call).Verdict != permission.Deny {
				continue
			}
			c.add(r.Pos, workflows.SeverityWarning, diagnostic.CodePermission,
				fmt.Sprintf("the rule %q allows nothing: the rules of the agent %q deny such calls", r.Pattern, step.Agent.Takes), "a step narrows the rules of its agent; allow it there, too")
		}
	}
}

// rulesAlone returns the policy of one set of rules; nil if they can't be read.
func (c *ruleChecker) rulesAlone(layers ...workflows.Permissions) *permission.Policy {
	policy, err := permission.New(permission.Config{Root: c.root, Home: c.env.home(), Protected: []string{}, Domains: []permission.Domain{domainOf(layers...)}})
	if err != nil {
		return nil
	}
	return policy
}

// exampleOf returns a call that a pattern matches.
func exampleOf(tool, pattern string) permission.Call {
	text := strings.NewReplacer(":*", " x", "**", "x", "*", "x", "?", "x").Replace(pattern)
	input, _ := json.Marshal(map[string]string{toolname.MainArgument(tool): text}) // strings always encode
	return permission.Call{Tool: tool, Input: input}
}
