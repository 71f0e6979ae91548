package host

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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
	var names []string
	for name := range w.CustomTools {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
