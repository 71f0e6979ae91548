package permission

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// pathSet judges places by the read or the write rules of one domain.
type pathSet struct {
	compiled[pathRule] // of read or write
	roots              place.Roots
}

// pathRule is a rule over paths.
type pathRule struct {
	place.Pattern
	Rule
	filled bool // there are values in it
}

// newPathSet compiles the rules of a key. If the read rules only restrict, what is inside
// the workspace is allowed.
func newPathSet(t place.Roots, key string, set ruleset, filled map[string]string) (s pathSet, err error) {
	if key == "read" && set.onlyRestricts() {
		set.catchAll = &Rule{Verdict: Allow}
	}
	s.roots = t
	s.compiled, err = compile(key, set, func(r Rule) (pathRule, error) {
		read, text := place.CompilePattern, r.Pattern
		value, isFilled := filled[r.Pattern]
		if isFilled && pattern.StrangeRune(text, "") == "" {
			read, text = place.CompileFilled, value
		}
		p, err := read(t, text, key == "read")
		if err != nil {
			err = fmt.Errorf("%s: %w", key, err)
		}
		return pathRule{p, r, isFilled}, err
	})
	return s, err
}

// judge decides about a file.
func (s *pathSet) judge(at place.Path) Decision {
	at = s.roots.From(at)
	hit := s.restriction(at)
	if hit != nil && hit.Verdict == Deny {
		return *hit
	}
	special := s.special(at)
	for _, p := range s.patterns {
		if special != "" && !s.namesWhole(p, at) {
			continue
		}
		if p.Verdict == Allow && p.Allows(at) {
			return s.by(p.Rule).cap(hit)
		}
		if special != "" && p.Verdict == Ask && p.Hits(at) {
			return *hit
		}
	}
	switch {
	case special != "":
		return undecided(special)
	case hit != nil:
		return *hit
	}
	return s.fallback(at)
}

// special says why only a rule that names the whole path may allow or ask: the file is secret to
// readers, or guarded from writers. It is "" for any other file.
func (s *pathSet) special(at place.Path) string {
	switch {
	case s.key == "read" && s.roots.IsSecret(at):
		return "it is a secret file, and only a read rule that names its whole path allows it"
	case s.key == "write" && s.roots.IsGuarded(at):
		return "it gives instructions to agents of the run, and only a write rule that names its whole path allows it"
	}
	return ""
}

// namesWhole reports whether a rule names the whole path, or the records of a run that it is one of,
// in the words of its author: no value does.
func (s *pathSet) namesWhole(p pathRule, at place.Path) bool {
	return !p.filled && (p.Spelled != "" || s.roots.IsRecord(at) && s.roots.NamesRecords(p.Pattern, at))
}

// restriction returns the deny, or else the ask, that matches a place, or nil.
func (s *pathSet) restriction(at place.Path) *Decision {
	at = s.roots.From(at)
	return s.strictest(false, func(p pathRule) bool {
		if p.Verdict == Ask && !p.Absolute && !at.Inside && s.roots.Part != "" {
			return false // nobody is asked to let a step out of its part of the workspace
		}
		return p.Hits(at)
	})
}

// fallback decides if no pattern does. The catch-all covers only what is inside the
// workspace, and for writing no segments that start with a dot.
func (s *pathSet) fallback(at place.Path) Decision {
	d := s.otherwise()
	switch {
	case d.Verdict == Deny:
		d.Reason = "no " + s.key + " rule allows it"
	case !at.Inside:
		return undecided("it is outside the workspace, and no " + s.key + " rule names it")
	case s.key == "write" && strings.Contains("/"+at.Rel, "/.") && at.Rel != ".":
		return undecided("a part of it starts with a dot, and no write rule spells that part")
	case d.Rule == "":
		d.Reason = "it is inside the workspace"
	}
	return d
}

// judgeDir decides about searching a directory. It is denied if any file in it would be,
// and allowed if some file in it could be; each file is judged again when it is found.
func (s *pathSet) judgeDir(at place.Path) Decision {
	at = s.roots.From(at)
	hit := s.restriction(at)
	if inner := s.restriction(at.Child("x")); inner != nil && (hit == nil || inner.stricter(*hit)) {
		hit = inner
	}
	if hit != nil {
		return *hit
	}
	for _, p := range s.patterns {
		if p.Verdict == Allow && (p.Allows(at) || p.AllowsBelow(at)) {
			d := s.by(p.Rule)
			d.Reason = fmt.Sprintf("the rule %q allows files in it", d.Rule)
			return d
		}
	}
	return s.fallback(at)
}
