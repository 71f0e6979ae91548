package permission

// Rule says what becomes of the calls that fit a pattern.
type Rule struct {
	Pattern string
	Verdict Verdict
}

// Rules holds the rules of one layer of a file by key. A key is the name of a
// tool (bash, read, write, webfetch: their patterns are commands, paths and
// addresses) or a pattern over tool names such as github_*, whose only pattern
// is *. "tool: allow" in a file is {Pattern: "*", Verdict: Allow} here. A key
// with no rules denies its tool.
type Rules map[string][]Rule

// Domain is one domain of trust: a file with its workflow's rules and then its
// step's. The layers are judged as one set, but a later catch-all replaces an
// earlier one. The zero Domain allows reading in the workspace and custom
// tools, nothing else.
type Domain struct {
	// Name is used in reasons, such as a file's name; it may be empty.
	Name   string
	Layers []Rules
}

// isCatchAll reports whether a pattern is only a fallback.
func isCatchAll(pattern string) bool { return pattern == "*" || pattern == "**" }

// ruleset is one key's rules, put together over the layers of a domain.
// Catch-alls are apart, because a later layer replaces them.
type ruleset struct {
	rules    []Rule
	catchAll *Rule
	present  bool
}

// merge puts the rules that the layers have under a key together.
func merge(layers []Rules, key string) ruleset {
	var set ruleset
	for _, layer := range layers {
		rules, ok := layer[key]
		set.present = set.present || ok
		var catchAll *Rule
		for _, r := range rules {
			if !isCatchAll(r.Pattern) {
				set.rules = append(set.rules, r)
			} else if catchAll == nil || r.Verdict < catchAll.Verdict {
				catchAll = &r
			}
		}
		if catchAll != nil {
			set.catchAll = catchAll
		}
	}
	return set
}

// onlyRestricts reports whether the set holds rules, and none that allows.
func (s ruleset) onlyRestricts() bool {
	if s.catchAll != nil || len(s.rules) == 0 {
		return false
	}
	for _, r := range s.rules {
		if r.Verdict == Allow {
			return false
		}
	}
	return true
}
