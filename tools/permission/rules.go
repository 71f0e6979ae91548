package permission

import "slices"

// Rule says what becomes of the calls that fit a pattern.
type Rule struct {
	Pattern string
	Verdict Verdict
}

func (r Rule) itself() Rule { return r }

// Rules are the rules of one layer of a file by key. A key is bash, read, write or
// webfetch, with patterns over commands, paths and addresses; or it is a pattern over tool
// names such as github_*, whose only pattern is *. "tool: allow" in a file is
// {Pattern: "*", Verdict: Allow} here. A key without rules denies its tool.
type Rules map[string][]Rule

// Domain is one domain of trust: a file with the rules of its workflow, and then those of
// its step. The layers are judged as one set, but a later catch-all replaces an earlier
// one. The zero Domain allows reading in the workspace and custom tools, nothing else.
type Domain struct {
	// Name is used in reasons, such as a file's name; it may be empty.
	Name string
	// Root is where its relative patterns start, a folder of the workspace around the step;
	// the zero value is that of the policy.
	Root   string
	Layers []Rules
	// Filled are the patterns to match in place of those of read and write rules that
	// have values in them, by the patterns as the rules have them, which stay their names.
	// The values are what [PathValue] returned.
	Filled map[string]string
}

// IsCatchAll reports whether a pattern is only a fallback.
func IsCatchAll(pattern string) bool { return pattern == "*" || pattern == "**" }

// ruleset are the rules of one key over all layers of a domain. The catch-all is separate,
// because a later layer replaces it.
type ruleset struct {
	rules    []Rule
	catchAll *Rule
	present  bool
}

// merge returns the rules that the layers have under a key.
func merge(layers []Rules, key string) ruleset {
	var set ruleset
	for _, layer := range layers {
		rules, ok := layer[key]
		set.present = set.present || ok
		var catchAll *Rule
		for _, r := range rules {
			if !IsCatchAll(r.Pattern) {
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
	return !slices.ContainsFunc(s.rules, func(r Rule) bool { return r.Verdict == Allow })
}

// compiled are the rules of a key, with their patterns compiled.
type compiled[P interface{ itself() Rule }] struct {
	key      string // "" for rules over tool names
	own      bool   // the domain has the key
	patterns []P
	catchAll *Rule
	// source is the rule over tool names that stands in for the catch-all, or "".
	source string
	// cap is the deny or ask of a rule over tool names that restricts every decision, or nil.
	cap *Decision
}

func compile[P interface{ itself() Rule }](key string, set ruleset, pattern func(Rule) (P, error)) (compiled[P], error) {
	s := compiled[P]{key: key, own: set.present, catchAll: set.catchAll}
	for _, r := range set.rules {
		p, err := pattern(r)
		if err != nil {
			return s, err
		}
		s.patterns = append(s.patterns, p)
	}
	return s, nil
}

// under applies the rules over tool names to a tool that the key is for: a deny or ask among them
// restricts all decisions, and if the domain does not have the key, one is the catch-all. Without
// any rule, reading in the workspace is allowed.
func (s *compiled[P]) under(tools *toolSet, tool string) {
	var standIn *Rule
	if s.cap, standIn = tools.gate(tool); s.own {
		return
	}
	if standIn == nil && s.key == "read" {
		standIn = &Rule{Verdict: Allow}
	}
	if s.catchAll, s.source = standIn, ""; standIn != nil {
		s.source = standIn.Pattern
	}
}

// by returns the decision of one of the rules.
func (s *compiled[P]) by(r Rule) Decision {
	if s.key == "" {
		return r.Verdict.by(r.Pattern)
	}
	return r.Verdict.by(s.key + ": " + r.Pattern)
}

// otherwise returns the decision of the catch-all, if there is one.
func (s *compiled[P]) otherwise() Decision {
	switch {
	case s.catchAll == nil:
		return Decision{}
	case s.catchAll.Pattern == "" || s.source != "":
		return s.catchAll.Verdict.by(s.source)
	}
	return s.by(*s.catchAll)
}

// onlyDenies reports whether the rules deny every call.
func (s *compiled[P]) onlyDenies() bool {
	return s.cap != nil && s.cap.Verdict == Deny || (s.catchAll == nil || s.catchAll.Verdict == Deny) &&
		!slices.ContainsFunc(s.patterns, func(p P) bool { return p.itself().Verdict != Deny })
}

// strictest returns the decision of the strictest rule of which fits is true, the first of
// equally strict ones, or nil. Rules that allow count only with allows true.
func (s *compiled[P]) strictest(allows bool, fits func(P) bool) *Decision {
	var best *Rule
	for _, p := range s.patterns {
		if r := p.itself(); (r.Verdict != Allow || allows) && (best == nil || r.Verdict < best.Verdict) && fits(p) {
			best = &r
		}
	}
	if best == nil {
		return nil
	}
	d := s.by(*best)
	return &d
}
