package host

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// deniedTools says which tools the rules of a file deny, while it is loaded. Steps that have the same rules
// share a policy. It is not safe for concurrent use.
type deniedTools struct {
	boxes    *toolboxes                       // of no run
	policies map[policyKey]*permission.Policy // nil: its rules can't be read
	compiled int                              // how many rules
}

// policyKey is what a policy depends on.
type policyKey struct {
	by   *workflows.Workflow
	rest string // the rules of the step, and the tools that are there
}

// maxCompiled is how many rules are compiled to warn of tools, which takes under a second: steps that
// each have rules of their own compile those of the file, too. Of more no warning is given here, and the run
// still judges every call.
const maxCompiled = 50_000

func newDeniedTools(l *Loaded) *deniedTools {
	return &deniedTools{boxes: &toolboxes{Loaded: l, unknown: true}, policies: map[policyKey]*permission.Policy{}}
}

// of returns the tools of a workflow among the listed ones of which the rules of a layer deny every
// call. A pattern of a server's tools is none of them: which tools there are is not known before the server
// runs.
func (d *deniedTools) of(w *workflows.Workflow, by runner.Layer, listed []string) []string {
	var served []serverTool
	for _, tool := range listed {
		if servers := serversNamed(w, []string{tool}); len(servers) == 1 && w.CustomTools[tool] == nil {
			served = append(served, serverTool{servers[0], missingTool{name: tool}})
		}
	}
	policy := d.policy(w, by, served)
	if policy == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(listed), func(tool string) bool {
		return strings.Contains(tool, "*") || len(serversNamed(w, []string{tool})) > 1 || policy.Offered(tool)
	})
}

// policy returns the policy of a layer for the tools of a workflow; nil for rules that can't be read, which
// are reported already, and for those that are too many.
func (d *deniedTools) policy(w *workflows.Workflow, by runner.Layer, served []serverTool) *permission.Policy {
	key := policyKey{by.Workflow, textOf(by.Step) + fmt.Sprintf("%q", customNames(w))}
	for _, t := range served {
		key.rest += fmt.Sprintf("%q", t.announced())
	}
	if policy, again := d.policies[key]; again {
		return policy
	}
	size := 0
	for _, rules := range []workflows.Permissions{by.Workflow.Permissions, by.Step} {
		for _, list := range rules {
			size += len(list)
		}
	}
	if d.compiled+size > maxCompiled {
		return nil
	}
	d.compiled += size
	policy, err := d.boxes.policyOf(runner.ToolScope{Workflow: w, Workspace: string(filepath.Separator), Layers: []runner.Layer{by}}, nil, nil, served...)
	if err != nil {
		policy = nil
	}
	d.policies[key] = policy
	return policy
}

// textOf returns a text that is the same for the same rules.
func textOf(rules workflows.Permissions) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(rules)) {
		fmt.Fprintf(&b, "%q:", key)
		for _, r := range rules[key] {
			fmt.Fprintf(&b, "%q=%s,", r.Pattern, r.Decision)
		}
	}
	return b.String()
}
