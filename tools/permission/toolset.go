package permission

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/toolname"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// toolRule is a rule over the names of tools.
type toolRule struct {
	key     string
	verdict Verdict
	atoms   []pattern.Atom
	folded  []pattern.Atom
	prefix  string // the text before the first wildcard
	wild    bool
}

func newToolRule(key string, verdict Verdict) toolRule {
	r := toolRule{key: key, verdict: verdict, atoms: pattern.Glob(key), folded: pattern.Glob(pattern.Fold(key)), prefix: key}
	if i := strings.IndexAny(key, "*?"); i >= 0 {
		r.wild, r.prefix = true, key[:i]
	}
	return r
}

// toolSet judges tools by name alone.
type toolSet struct {
	rules    []toolRule
	catchAll *toolRule
}

// newToolSet collects the keys of a domain that stand for tools, not for
// arguments.
func newToolSet(layers []Rules) (toolSet, error) {
	var set toolSet
	for _, layer := range layers {
		var catchAll *toolRule
		for key, rules := range layer {
			if toolname.RuledBy(key) == key {
				continue
			}
			verdict, err := keyVerdict(key, rules)
			if err != nil {
				return set, err
			}
			r := newToolRule(key, verdict)
			if !IsCatchAll(key) {
				set.rules = append(set.rules, r)
			} else if catchAll == nil || verdict < catchAll.verdict {
				catchAll = &r
			}
		}
		if catchAll != nil {
			set.catchAll = catchAll
		}
	}
	return set, nil
}

// keyVerdict returns the one verdict of a key that has no patterns.
func keyVerdict(key string, rules []Rule) (Verdict, error) {
	if !toolname.ValidPattern(key) {
		return Deny, fmt.Errorf("tool pattern %q: want letters, digits, _, - and the wildcards * and ?", key)
	}
	verdict := Deny
	for i, r := range rules {
		if !IsCatchAll(r.Pattern) {
			return Deny, fmt.Errorf("%s: pattern %q: only bash, read, write and webfetch have patterns%s", key, r.Pattern, keyHint(key, r))
		}
		if i == 0 {
			verdict = r.Verdict
		}
		verdict = min(verdict, r.Verdict)
	}
	return verdict, nil
}

// keyHint says where the pattern of a tool stands that is judged by rules of another.
func keyHint(key string, r Rule) string {
	if judge := toolname.RuledBy(key); judge != "" {
		return fmt.Sprintf(" (%s is judged by the rules of %s: {%q: %s})", key, judge, r.Pattern, r.Verdict)
	}
	return ""
}

// judge decides about a tool by name. server is an MCP tool's, else "". It
// returns nil where no rule but perhaps a catch-all matches.
func (s toolSet) judge(name, server string) *finding {
	var best *finding
	for _, r := range s.rules {
		if best != nil && best.verdict <= r.verdict || !r.matches(name, server) {
			continue
		}
		best = &finding{r.verdict, false, r.key, fmt.Sprintf("tool rule %s says %s", r.key, r.verdict)}
	}
	return best
}

// fallback returns the catch-all's finding, or nil.
func (s toolSet) fallback() *finding {
	if s.catchAll == nil {
		return nil
	}
	return &finding{s.catchAll.verdict, false, s.catchAll.key, "the fallback for tools says " + s.catchAll.verdict.String()}
}

// matches reports whether the rule fits a tool. An allow with a wildcard has to
// spell an MCP tool's server, for another server's name may begin alike.
func (r toolRule) matches(name, server string) bool {
	if r.verdict != Allow {
		return pattern.Match(r.folded, []rune(pattern.Fold(name)), nil)
	}
	if r.wild && server != "" && !strings.HasPrefix(r.prefix, server+"_") {
		return false
	}
	return pattern.Match(r.atoms, []rune(name), nil)
}
