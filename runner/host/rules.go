package host

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

// rulesText returns a text that is the same only for the same rules.
func rulesText(rules workflows.Permissions) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(rules)) {
		fmt.Fprintf(&b, "%q[", key)
		for _, r := range rules[key] {
			fmt.Fprintf(&b, "%q %q,", r.Pattern, r.Decision)
		}
		b.WriteByte(']')
	}
	return b.String()
}

// customNames returns the tools that are allowed unless a rule names them.
func customNames(w *workflows.Workflow) []string {
	return slices.Sorted(maps.Keys(w.CustomTools))
}
