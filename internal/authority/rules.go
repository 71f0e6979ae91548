package authority

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// rulesOf are the rules over a step, each set of which has to allow a call: its own, or
// those of the agent that it takes, and beyond them what bounds it. Those of its file
// are one set with each, in which a tool's catch-all of the step's takes the place of
// the file's.
func rulesOf(w *workflows.Workflow, step *workflows.Step) (rules, bounds []string) {
	sets := step.RuleSets()
	for _, bound := range sets[:len(sets)-1] {
		bounds = append(bounds, merged(w.Permissions, bound)...)
	}
	return merged(w.Permissions, sets[len(sets)-1]), bounds
}

// merged is the set of a file's rules and a step's.
func merged(file, own workflows.Permissions) []string {
	var all []string
	for tool, list := range file {
		for _, r := range list {
			if catchesAll(r.Pattern) && slices.ContainsFunc(own[tool], func(o workflows.Rule) bool { return catchesAll(o.Pattern) }) {
				continue
			}
			all = append(all, rule(tool, r))
		}
	}
	for tool, list := range own {
		for _, r := range list {
			all = append(all, rule(tool, r))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func catchesAll(pattern string) bool { return pattern == "*" || pattern == "**" }

// rule is one as it is written down: "bash: allow git log *".
func rule(tool string, r workflows.Rule) string {
	return fmt.Sprintf("%s: %s %s", tool, r.Decision, visible(r.Pattern))
}

// denies and allows report what a rule that is written down says.
func denies(rule string) bool { return decides(rule, "deny") }
func allows(rule string) bool { return decides(rule, "allow") }

func decides(rule, word string) bool {
	_, rest, _ := strings.Cut(rule, ": ")
	return strings.HasPrefix(rest, word+" ")
}

// rulesWiden reports whether rules may allow what older ones did not. They do not
// where they are the same, less some that allow, and more that deny. A set for
// reading that only denies allows the rest, so losing the last one that allows, or
// beginning with one that denies, is wider.
func rulesWiden(old, now []string) bool {
	for _, r := range now {
		if !denies(r) && !slices.Contains(old, r) {
			return true
		}
	}
	for _, r := range old {
		if !allows(r) && !slices.Contains(now, r) {
			return true
		}
	}
	return readsRest(now) && !readsRest(old)
}

// readsRest reports whether rules for reading only refuse, so that the rest of the
// workspace may be read.
func readsRest(rules []string) bool {
	reading := slices.DeleteFunc(slices.Clone(rules), func(r string) bool { return !strings.HasPrefix(r, "read: ") })
	return len(reading) > 0 && !slices.ContainsFunc(reading, allows)
}

// sandbox is what a file says of it beyond the default.
func sandbox(s workflows.Sandbox) string {
	var parts []string
	add := func(on bool, text string) {
		if on {
			parts = append(parts, text)
		}
	}
	add(s.Off, "off")
	add(s.Landlock, "landlock")
	add(s.Required != "", "required: "+string(s.Required))
	add(s.Write != nil, fmt.Sprintf("write: [%s]", strings.Join(s.Write, ", ")))
	add(s.Offline, "network: none")
	add(s.Partial, "partial")
	add(len(s.Reveal) > 0, fmt.Sprintf("reveal: [%s]", strings.Join(s.Reveal, ", ")))
	add(s.KeepCaches, "caches: keep")
	return strings.Join(parts, ", ")
}

// budget is the bounds of a file; "" where it has none.
func budget(b workflows.Budget) string {
	var parts []string
	if b.CostUSD > 0 {
		parts = append(parts, fmt.Sprintf("$%v", b.CostUSD))
	}
	if b.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", b.Tokens))
	}
	if b.Time > 0 {
		parts = append(parts, b.Time.String())
	}
	return strings.Join(parts, ", ")
}

// stop is the bounds of an agent.
func stop(s workflows.Stop) string {
	parts := []string{fmt.Sprintf("%d turns", s.MaxTurns)}
	if s.MaxToolCalls > 0 {
		parts = append(parts, fmt.Sprintf("%d calls", s.MaxToolCalls))
	}
	if s.MaxTokens > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", s.MaxTokens))
	}
	if s.MaxCostUSD > 0 {
		parts = append(parts, fmt.Sprintf("$%v", s.MaxCostUSD))
	}
	if s.Timeout > 0 {
		parts = append(parts, s.Timeout.String())
	}
	return strings.Join(parts, ", ")
}
