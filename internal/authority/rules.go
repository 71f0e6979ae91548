package authority

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// RulesOf returns the rules of a step, which are its own or its agent's, and those of its bounds,
// which have to allow a call, too. Each set includes the rules of the file, but for a catch-all
// that the set replaces.
func RulesOf(w *workflows.Workflow, step *workflows.Step) (rules, bounds []string) {
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

// rule is a rule as a text: "bash: allow git log *".
func rule(tool string, r workflows.Rule) string {
	return fmt.Sprintf("%s: %s %s", tool, r.Decision, r.Pattern)
}

// denies and allows report the decision of a rule's text.
func denies(rule string) bool { return decides(rule, "deny") }
func allows(rule string) bool { return decides(rule, "allow") }

func decides(rule, word string) bool {
	_, rest, _ := strings.Cut(rule, ": ")
	return strings.HasPrefix(rest, word+" ")
}

// rulesWiden reports whether rules may allow calls that the older ones did not. They are narrower
// if only allows are missing and denies are new. Rules for reading that only deny allow the rest
// of the workspace: it is wider if the last allow goes, or if they are the first for reading.
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
	return confines(old) && !confines(now) || refuses(now) && !refuses(old)
}

// confines reports whether rules for reading name the readable files, so that the rest of the
// workspace is not readable.
func confines(rules []string) bool {
	return slices.ContainsFunc(rules, func(r string) bool { return reads(r) && !denies(r) })
}

// refuses reports whether rules for reading only deny.
func refuses(rules []string) bool { return slices.ContainsFunc(rules, reads) && !confines(rules) }

func reads(rule string) bool { return strings.HasPrefix(rule, "read: ") }

// sandbox lists the settings of a file's sandbox beyond the default. The settings of a used
// workflow only narrow its caller's.
func sandbox(s workflows.Sandbox) string {
	narrows := said("required:", string(s.Required))
	if s.Write != nil {
		narrows = joined(narrows, fmt.Sprintf("write: [%s]", parts(s.Write, ",", ";", "]")))
	}
	narrows = joined(narrows, when(s.Offline, "network: none"))
	widens := joined(when(s.Off, "off"), when(s.Landlock, "landlock"), when(s.Partial, "partial"),
		when(len(s.Reveal) > 0, fmt.Sprintf("reveal: [%s]", parts(s.Reveal, ",", ";", "]"))), when(s.KeepCaches, "caches: keep"))
	if widens != "" {
		widens = "if the caller allows it, too: " + widens
	}
	return joined(narrows, widens)
}

func when(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

// joined joins the parts that are not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// budget lists the budget of a file; "" if it has none.
func budget(b workflows.Budget) string {
	return bounds("", b.Tokens, b.CostUSD, b.Time)
}

// stop lists the stop conditions of an agent.
func stop(s workflows.Stop) string {
	turns := fmt.Sprintf("%d turns", s.MaxTurns)
	if s.MaxToolCalls > 0 {
		turns += fmt.Sprintf(", %d calls", s.MaxToolCalls)
	}
	return bounds(turns, s.MaxTokens, s.MaxCostUSD, s.Timeout)
}

func bounds(calls string, tokens int64, costUSD float64, time time.Duration) string {
	return joined(calls, when(costUSD > 0, fmt.Sprintf("$%v", costUSD)), when(tokens > 0, fmt.Sprintf("%d tokens", tokens)), when(time > 0, time.String()))
}
