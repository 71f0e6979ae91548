package host

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// rulesOf keeps a key without rules, which denies its tool.
func rulesOf(given workflows.Permissions) (permission.Rules, error) {
	rules := permission.Rules{}
	for key, list := range given {
		rules[key] = []permission.Rule{}
		for _, r := range list {
			verdict, err := permission.ParseVerdict(r.Decision)
			if err != nil {
				return nil, configuration("", "%s: %v", r.Pos, err)
			}
			rules[key] = append(rules[key], permission.Rule{Pattern: r.Pattern, Verdict: verdict})
		}
	}
	return rules, nil
}

// customNames are the tools that are allowed where no rule names them.
func customNames(w *workflows.Workflow) []string {
	var names []string
	for name := range w.CustomTools {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
