package host

import (
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// domainOf has the rules of a workflow and, under them, those of one of its steps. A key without
// rules, which denies its tool, is kept, and so is a word that no file has: it denies.
func domainOf(layers ...workflows.Permissions) (domain permission.Domain) {
	for _, given := range layers {
		rules := permission.Rules{}
		for key, list := range given {
			rules[key] = []permission.Rule{}
			for _, r := range list {
				verdict, _ := permission.ParseVerdict(r.Decision)
				rules[key] = append(rules[key], permission.Rule{Pattern: r.Pattern, Verdict: verdict})
			}
		}
		domain.Layers = append(domain.Layers, rules)
	}
	return domain
}

// customNames returns the tools that are allowed unless a rule names them.
func customNames(w *workflows.Workflow) []string {
	return slices.Sorted(maps.Keys(w.CustomTools))
}
