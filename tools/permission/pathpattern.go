package permission

import (
	"fmt"
	"path/filepath"
	"strings"
)

// pathPattern is a compiled rule over paths.
type pathPattern struct {
	text    string // as written
	verdict Verdict
	// absolute patterns are matched with the whole path, others with the path
	// from the workspace root.
	absolute bool
	atoms    []atom
	folded   []atom
	// start is the text of folded before its first wildcard.
	start string
	// spelled is the one path that a pattern without wildcards names.
	spelled string
}

func compilePath(t tree, r Rule) (pathPattern, error) {
	p := pathPattern{text: r.Pattern, verdict: r.Verdict}
	text := r.Pattern
	if what := strangeRune(text, ""); what != "" || text == "" {
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
	p.atoms, p.folded = pathAtoms(text), pathAtoms(fold(text))
	p.start, _, _ = strings.Cut(fold(text), "*")
	p.start, _, _ = strings.Cut(p.start, "?")
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

// pathAtoms compiles the wildcards of a path: * and ? stay in a segment, **
// crosses, and **/ also stands for no segment.
func pathAtoms(text string) []atom {
	var out []atom
	start := true // at the start of a segment
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case start && strings.HasPrefix(rest, "**/"):
			out = append(out, atom{wild: segments})
			i += 3
			continue
		case strings.HasPrefix(rest, "**"):
			out = append(out, atom{wild: run})
			i += 2
		case rest[0] == '*':
			out = append(out, atom{wild: runName})
			i++
		case rest[0] == '?':
			out = append(out, atom{wild: oneName})
			i++
		default:
			r := []rune(rest[:min(len(rest), 4)])[0]
			out = append(out, atom{char: r})
			i += len(string(r))
		}
		start = rest[0] == '/'
	}
	return out
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
		closed = dotSegments(runes)
	}
	return matchAtoms(p.atoms, runes, closed)
}

// hits reports whether the pattern, a deny or ask, fits the place or what was
// written.
func (p pathPattern) hits(t tree, at place) bool {
	if p.hitsPath(t, at.canonical) {
		return true
	}
	return at.given != at.canonical && p.hitsPath(t, at.given)
}

func (p pathPattern) hitsPath(t tree, path string) bool {
	if !p.absolute {
		rel, inside := t.inTree(path)
		if !inside {
			return false
		}
		path = rel
	}
	path = fold(path)
	return strings.HasPrefix(path, p.start) && matchAtoms(p.folded, []rune(path), nil)
}

// dotSegments marks the characters of segments that start with a dot.
func dotSegments(text []rune) []bool {
	var closed []bool
	dotted := false
	for i, r := range text {
		if i == 0 || text[i-1] == '/' {
			dotted = r == '.'
		}
		if dotted && r != '/' {
			if closed == nil {
				closed = make([]bool, len(text))
			}
			closed[i] = true
		}
	}
	return closed
}
