package permission

import (
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// pathSet judges places by the read or the write rules of one domain.
type pathSet struct {
	key      string // read or write
	tree     tree
	patterns []pathPattern
	catchAll *Rule
	// source is the key that the catch-all comes from.
	source string
}

// newPathSet compiles the rules of a key. A read set that only restricts falls
// back to allowing what is inside the workspace.
func newPathSet(t tree, key string, set ruleset) (*pathSet, error) {
	s := &pathSet{key: key, tree: t, catchAll: set.catchAll, source: key}
	for _, r := range set.rules {
		p, err := compilePath(t, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		s.patterns = append(s.patterns, p)
	}
	if key == "read" && set.onlyRestricts() {
		s.catchAll = &Rule{Pattern: "", Verdict: Allow}
	}
	return s, nil
}

func (s *pathSet) name(pattern string) string { return s.key + ": " + pattern }

// judge decides about a file. A secret one has to be named whole by a rule that
// allows or asks.
func (s *pathSet) judge(at place) finding {
	hit := s.restriction(at)
	if hit != nil && hit.verdict == Deny {
		return *hit
	}
	secret := s.key == "read" && at.isSecret()
	for _, p := range s.patterns {
		named := !secret || p.spelled != ""
		if named && p.verdict == Allow && p.allows(at, s.key == "write") {
			return finding{Allow, false, s.name(p.text), s.key + " rule " + p.text + " allows it"}.cap(hit)
		}
		if secret && named && p.verdict == Ask && p.hits(s.tree.fold(at)) {
			return *hit
		}
	}
	switch {
	case secret:
		return finding{reason: "it is a secret file, which a read rule has to name whole"}
	case hit != nil:
		return *hit
	}
	return s.fallback(at)
}

// restriction returns the deny, or else the ask, that hits a place.
func (s *pathSet) restriction(at place) *finding {
	var hit *finding
	var folded foldedPlace
	for _, p := range s.patterns {
		if p.verdict == Allow || hit != nil && hit.verdict <= p.verdict {
			continue
		}
		if folded.canonical.whole == "" {
			folded = s.tree.fold(at)
		}
		if !p.hits(folded) {
			continue
		}
		hit = &finding{p.verdict, false, s.name(p.text), fmt.Sprintf("%s rule %s says %s", s.key, p.text, p.verdict)}
	}
	return hit
}

// fallback decides where no pattern does. The catch-all ends at the workspace,
// and for writing at segments that start with a dot.
func (s *pathSet) fallback(at place) finding {
	switch {
	case s.catchAll == nil:
		return finding{reason: "no " + s.key + " rule allows it"}
	case s.catchAll.Verdict == Deny:
		return finding{Deny, false, s.catchAllName(), "no " + s.key + " rule allows it"}
	case !at.inside:
		return finding{reason: "it is outside the workspace, and no " + s.key + " rule names it"}
	case s.key == "write" && slices.Contains(pattern.DotSegments([]rune(at.rel)), true) && at.rel != ".":
		return finding{reason: "a part of it starts with a dot, and no write rule spells that part"}
	}
	reason := "it is inside the workspace"
	if name := s.catchAllName(); name != "" {
		reason = fmt.Sprintf("the fallback %s says %s", name, s.catchAll.Verdict)
	}
	return finding{s.catchAll.Verdict, false, s.catchAllName(), reason}
}

func (s *pathSet) catchAllName() string {
	if s.catchAll.Pattern == "" {
		return ""
	}
	if s.source != s.key {
		return s.source
	}
	return s.name(s.catchAll.Pattern)
}

// judgeDir decides about looking through a directory: it is denied when a file
// in it would be, and allowed when one could be. The files themselves are judged
// one by one.
func (s *pathSet) judgeDir(at place) finding {
	child := within(at)
	hit := s.restriction(at)
	if inner := s.restriction(child); inner != nil && (hit == nil || inner.verdict < hit.verdict) {
		hit = inner
	}
	if hit != nil {
		return *hit
	}
	for _, p := range s.patterns {
		if p.verdict == Allow && (p.allows(at, false) || p.allowsBelow(at)) {
			return finding{Allow, false, s.name(p.text), "read rule " + p.text + " allows files in it"}
		}
	}
	return s.fallback(at)
}

// within returns the place of a file "x" in a directory.
func within(dir place) place { return dir.child("x") }

// child returns the place of an entry of a directory, as if nothing were there.
func (dir place) child(name string) place {
	child := dir
	child.given, child.canonical = join(dir.given, name), join(dir.canonical, name)
	child.info, child.slash = nil, false
	if dir.inside {
		child.rel = name
		if dir.rel != "." {
			child.rel = dir.rel + "/" + name
		}
	}
	return child
}

func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// allowsBelow reports whether some file directly in a directory fits.
func (p pathPattern) allowsBelow(dir place) bool {
	prefix := join(dir.canonical, "")
	if !p.absolute {
		if !dir.inside {
			return false
		}
		prefix = ""
		if dir.rel != "." {
			prefix = dir.rel + "/"
		}
	}
	return pattern.Overlap(p.atoms, append(pattern.Literals(prefix), pattern.Atom{Wild: pattern.NameText}))
}
