package host

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// examples judges the example calls beside a workflow's rules, and reports those that the rules
// decide differently. Each of the sets of rules has to allow a call.
func (c *ruleChecker) examples(w *workflows.Workflow, examples []workflows.Example, sets ...permission.Domain) {
	if len(examples) == 0 {
		return
	}
	policy, err := permission.New(permission.Config{
		Root: c.root, Home: c.env.home(), Protected: filesOf(w.Used()), Custom: customNames(w), Named: c.env.toolNames(),
		Domains: sets,
	})
	if err != nil {
		return // the rule that can't be read is reported
	}
	for _, e := range examples {
		input, err := callInput(e.Tool, e.Call)
		if err != nil {
			c.add(e.Pos, workflows.SeverityError, diagnostic.CodePermission, err.Error(), `such as '{"package": "fmt"}'`)
			continue
		}
		d := policy.Decide(permission.Call{Tool: e.Tool, Input: input})
		if e.Want == d.Verdict.String() || e.Want == "" && d.Verdict != permission.Allow {
			continue
		}
		message := fmt.Sprintf("the example %s %q: expected %s, got %s", e.Tool, e.Call, wanted(e.Want), d.Verdict)
		c.add(e.Pos, workflows.SeverityError, diagnostic.CodePermission, message, whyDecided(d))
	}
}

// wanted returns the decision that an example expects.
func wanted(decision string) string { return cmp.Or(decision, "ask or deny") }

// whyDecided returns the reason of a decision, and the rule unless the reason names it.
func whyDecided(d permission.Decision) string {
	_, pattern, _ := strings.Cut(d.Rule, ": ")
	if d.Rule == "" || strings.Contains(d.Reason, pattern) {
		return d.Reason
	}
	return "rule " + d.Rule + ": " + d.Reason
}
