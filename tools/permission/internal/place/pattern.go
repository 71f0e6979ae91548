package place

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// Pattern is a compiled rule over paths.
type Pattern struct {
	Text string // as written, or filled
	// Absolute patterns match the whole path, others the path from the workspace root.
	Absolute                 bool
	canonical, shown, folded *regexp.Regexp
	start                    string // the folded text before the first wildcard
	clean                    string
	// Spelled is the path that a pattern without wildcards names; else it is "".
	Spelled string
}

// CompilePattern reads the pattern of a rule.
func CompilePattern(t Roots, text string) (Pattern, error) {
	if what := pattern.StrangeRune(text, ""); what != "" || text == "" {
		return Pattern{Text: text}, fmt.Errorf("path pattern %q: it is empty or holds %s", text, what)
	}
	return CompileFilled(t, text)
}

// CompileFilled reads the pattern of a rule in which values may stand, each as [pattern.Escape]
// returns it.
func CompileFilled(t Roots, text string) (Pattern, error) {
	p, shown := Pattern{Text: text}, pattern.Unescape(text)
	if strings.HasSuffix(text, "/") {
		text += "**"
	}
	switch {
	case strings.HasPrefix(text, "~/"):
		if t.Home == "" {
			return p, fmt.Errorf("path pattern %q: there is no home directory", shown)
		}
		p.Absolute = true
		text = pattern.Escape(strings.TrimSuffix(t.Home, "/")) + text[1:]
	case strings.HasPrefix(text, "~"):
		return p, fmt.Errorf("path pattern %q: only ~/ can begin a pattern, not another user's home", shown)
	case strings.HasPrefix(text, "/"):
		p.Absolute = true
		text = "/" + strings.TrimLeft(text, "/")
	}
	if p.Absolute {
		text = realPrefix(text)
	}
	text, err := cleanPattern(text)
	if err != nil {
		return p, fmt.Errorf("path pattern %q: %w", shown, err)
	}
	p.canonical, p.shown, p.folded, p.clean = pattern.Path(text), pattern.ShownPath(text), pattern.Path(pattern.Fold(text)), text
	p.start, _, _ = strings.Cut(strings.ReplaceAll(pattern.Fold(text), "?", "*"), "*")
	p.start = pattern.Unescape(p.start)
	if !strings.ContainsAny(text, "*?") {
		p.Spelled = pattern.Unescape(text)
	}
	return p, nil
}

// realPrefix resolves symlinks in the directories before the first wildcard, since
// patterns match canonical paths. It leaves a prefix that does not exist as it is.
func realPrefix(text string) string {
	end := strings.IndexAny(text, "*?")
	if end < 0 {
		end = len(text)
	}
	end = strings.LastIndexByte(text[:end], '/')
	if end <= 0 {
		return text
	}
	real, err := filepath.EvalSymlinks(pattern.Unescape(text[:end]))
	if err != nil {
		return text
	}
	return pattern.Escape(strings.TrimSuffix(real, "/")) + text[end:]
}

// cleanPattern removes "./" and doubled slashes. A pattern with ".." is an error.
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

// Allows reports whether the pattern, an allow, matches a place. With dots true a
// wildcard does not match segments that start with a dot.
func (p Pattern) Allows(at Path, dots bool) bool {
	text := at.Canonical
	if !p.Absolute {
		if !at.Inside {
			return false
		}
		text = at.Rel
	}
	if dots {
		return p.shown.MatchString(text)
	}
	return p.canonical.MatchString(text)
}

// Hits reports whether the pattern, a deny or ask, matches the canonical or the given
// path.
func (p Pattern) Hits(at FoldedPath) bool {
	return p.hitsPath(at.Canonical) || at.given != at.Canonical && p.hitsPath(at.given)
}

func (p Pattern) hitsPath(path foldedPath) bool {
	text := path.Whole
	if !p.Absolute {
		if !path.inside {
			return false
		}
		text = path.rel
	}
	return p.folded.MatchString(text)
}

// FoldedPath is a path in the form that deny and ask patterns match.
type FoldedPath struct{ Canonical, given foldedPath }

// foldedPath is a folded path, whole and from the workspace root.
type foldedPath struct {
	Whole, rel string
	inside     bool
}

// Fold returns the form of a path that deny and ask patterns match.
func (t Roots) Fold(at Path) FoldedPath {
	out := FoldedPath{Canonical: t.foldPath(at.Canonical)}
	if out.given = out.Canonical; at.Given != at.Canonical {
		out.given = t.foldPath(at.Given)
	}
	return out
}

func (t Roots) foldPath(path string) foldedPath {
	out := foldedPath{Whole: pattern.Fold(path)}
	if out.rel, out.inside = t.relative(path); out.inside {
		out.rel = pattern.Fold(out.rel)
	}
	return out
}
