package permission

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// pathPattern is a compiled rule over paths.
type pathPattern struct {
	text    string // as written
	verdict Verdict
	// absolute patterns are matched with the whole path, others with the path
	// from the workspace root.
	absolute bool
	atoms    []pattern.Atom
	folded   []pattern.Atom
	// start is the text of folded before its first wildcard, core the longest text
	// between two: without them nothing fits, and that is soon told.
	start, core string
	// spelled is the one path that a pattern without wildcards names.
	spelled string
}

func compilePath(t tree, r Rule) (pathPattern, error) {
	p := pathPattern{text: r.Pattern, verdict: r.Verdict}
	text := r.Pattern
	if what := pattern.StrangeRune(text, ""); what != "" || text == "" {
		return p, fmt.Errorf("path pattern %q: it is empty or holds %s", r.Pattern, what)
	}
	if strings.HasSuffix(text, "/") {
		text += "**"
	}
	switch {
	case strings.HasPrefix(text, "~/"):
		if t.home == "" {
			return p, fmt.Errorf("path pattern %q: there is no home directory", r.Pattern)
		}
		p.absolute = true
		text = strings.TrimSuffix(t.home, "/") + text[1:]
	case strings.HasPrefix(text, "~"):
		return p, fmt.Errorf("path pattern %q: only ~/ can begin a pattern, not another user's home", r.Pattern)
	case strings.HasPrefix(text, "/"):
		p.absolute = true
		text = "/" + strings.TrimLeft(text, "/")
	}
	if p.absolute {
		text = realPrefix(text)
	}
	text, err := cleanPattern(text)
	if err != nil {
		return p, fmt.Errorf("path pattern %q: %w", r.Pattern, err)
	}
	p.atoms, p.folded = pattern.PathGlob(text), pattern.PathGlob(pattern.Fold(text))
	pieces := strings.FieldsFunc(pattern.Fold(text), func(r rune) bool { return r == '*' || r == '?' })
	for i, piece := range pieces {
		// The slash after ** is not there where that stands for nothing.
		piece = strings.TrimPrefix(piece, "/")
		if i == 0 && p.folded[0].Wild == pattern.Literal {
			p.start = pieces[0]
		}
		if len(piece) > len(p.core) {
			p.core = piece
		}
	}
	if !strings.ContainsAny(text, "*?") {
		p.spelled = text
	}
	return p, nil
}

// realPrefix resolves the directories before the first wildcard, for rules see
// canonical paths. It leaves a prefix that does not exist as it is.
func realPrefix(text string) string {
	end := strings.IndexAny(text, "*?")
	if end < 0 {
		end = len(text)
	}
	end = strings.LastIndexByte(text[:end], '/')
	if end <= 0 {
		return text
	}
	real, err := filepath.EvalSymlinks(text[:end])
	if err != nil {
		return text
	}
	return strings.TrimSuffix(real, "/") + text[end:]
}

// cleanPattern removes "./" and doubled slashes; a pattern that climbs can
// never be right.
func cleanPattern(text string) (string, error) {
	var out []string
	for i, segment := range strings.Split(text, "/") {
		switch segment {
		case "..":
			return "", fmt.Errorf("a pattern cannot hold \"..\"")
		case ".":
			continue
		case "":
			if i > 0 {
				continue
			}
		}
		out = append(out, segment)
	}
	if len(out) == 0 {
		return "", fmt.Errorf("it names nothing")
	}
	return strings.Join(out, "/"), nil
}

// allows reports whether the pattern, an allow, covers a place. With dots true
// the segments that start with a dot have to be spelled.
func (p pathPattern) allows(at place, dots bool) bool {
	text := at.canonical
	if !p.absolute {
		if !at.inside {
			return false
		}
		text = at.rel
	}
	runes := []rune(text)
	var closed []bool
	if dots {
		closed = pattern.DotSegments(runes)
	}
	return pattern.Match(p.atoms, runes, closed)
}

// hits reports whether the pattern, a deny or ask, fits the place or what was
// written.
func (p pathPattern) hits(at foldedPlace) bool {
	return p.hitsPath(at.canonical) || at.given != at.canonical && p.hitsPath(at.given)
}

func (p pathPattern) hitsPath(path foldedPath) bool {
	text := path.whole
	if !p.absolute {
		if !path.inside {
			return false
		}
		text = path.rel
	}
	return strings.HasPrefix(text, p.start) && strings.Contains(text, p.core) && pattern.Match(p.folded, []rune(text), nil)
}

// A foldedPlace is a place as deny and ask rules see it.
type foldedPlace struct{ canonical, given foldedPath }

// A foldedPath is a path in the form that patterns are compared with, and the same
// from the workspace root.
type foldedPath struct {
	whole, rel string
	inside     bool
}

func (t tree) fold(at place) foldedPlace {
	out := foldedPlace{canonical: t.foldPath(at.canonical)}
	if out.given = out.canonical; at.given != at.canonical {
		out.given = t.foldPath(at.given)
	}
	return out
}

func (t tree) foldPath(path string) foldedPath {
	out := foldedPath{whole: pattern.Fold(path)}
	if out.rel, out.inside = t.inTree(path); out.inside {
		out.rel = pattern.Fold(out.rel)
	}
	return out
}
