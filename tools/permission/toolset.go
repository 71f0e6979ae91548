package permission

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// toolRule is a rule over the names of tools.
type toolRule struct {
	Rule
	key   string // as names are written
	names *regexp.Regexp
}

func newToolRule(rule Rule) (toolRule, error) {
	r := toolRule{Rule: rule, key: known.PlainToolName(rule.Pattern)}
	if !known.IsToolPattern(r.key) {
		return r, fmt.Errorf("tool pattern %q: want letters, digits, _, -, . and the wildcards * and ?", rule.Pattern)
	}
	r.names = pattern.Text(r.fold(r.key))
	return r, nil
}

// toolSet judges tools by name alone.
type toolSet struct{ compiled[toolRule] }

// newToolSet compiles the keys of a domain that are patterns over tool names.
func newToolSet(layers []Rules) (set toolSet, err error) {
	var names []Rules
	for _, layer := range layers {
		var rules []Rule
		for key, list := range layer {
			if known.RuledBy(key) == key {
				continue
			}
			verdict, err := keyVerdict(key, list)
			if err != nil {
				return set, err
			}
			rules = append(rules, Rule{key, verdict})
		}
		names = append(names, Rules{"": rules})
	}
	set.compiled, err = compile("", merge(names, ""), newToolRule)
	return set, err
}

// keyVerdict returns the verdict of a key whose only pattern is *.
func keyVerdict(key string, rules []Rule) (Verdict, error) {
	verdict := Allow
	for _, r := range rules {
		if !IsCatchAll(r.Pattern) {
			return Deny, fmt.Errorf("%s: pattern %q: only bash, read, write and webfetch have patterns%s", key, r.Pattern, keyHint(key, r))
		}
		verdict = min(verdict, r.Verdict)
	}
	if len(rules) == 0 {
		return Deny, nil
	}
	return verdict, nil
}

// keyHint returns where a pattern belongs if the rules of another tool judge this one.
func keyHint(key string, r Rule) string {
	if judge := known.RuledBy(key); judge != "" {
		return fmt.Sprintf(" (%s is judged by the rules of %s: {%q: %s})", key, judge, r.Pattern, r.Verdict)
	}
	return ""
}

// judge decides about a tool by name. server is the server of an MCP tool, else "". It
// returns nil if no rule matches, the catch-all aside.
func (s *toolSet) judge(name, server string) *Decision {
	return s.strictest(true, func(r toolRule) bool { return r.matches(name, server) })
}

// gate applies the rules to a built-in tool. It returns the deny or ask that restricts every
// decision about the tool, and the rule that stands in for missing rules over its arguments.
func (s *toolSet) gate(tool string) (restriction *Decision, standIn *Rule) {
	f := s.judge(tool, "")
	if key := known.RuledBy(tool); key != tool {
		if g := s.judge(key, ""); f == nil || g != nil && g.stricter(*f) {
			f = g
		}
	}
	switch {
	case f != nil && f.Verdict != Allow:
		return f, nil
	case f != nil:
		return nil, &Rule{f.Rule, f.Verdict}
	}
	return nil, s.catchAll
}

// matches reports whether the rule matches a tool. An allow with a wildcard has to spell
// the server of an MCP tool, because another server's name may begin alike.
func (r toolRule) matches(name, server string) bool {
	head, _, wild := strings.Cut(strings.ReplaceAll(r.key, "?", "*"), "*")
	if r.Verdict == Allow && wild && server != "" && !strings.HasPrefix(head, server+"_") {
		return false
	}
	return r.names.MatchString(r.fold(name))
}

// fold returns a name as the rule looks at it: only an allow minds the case.
func (r toolRule) fold(name string) string {
	if r.Verdict == Allow {
		return name
	}
	return pattern.Fold(name)
}
