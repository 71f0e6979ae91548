package place

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// Pattern is a compiled rule over paths.
type Pattern struct {
	Text string // as written, or filled
	// Absolute patterns may match outside of the workspace.
	Absolute bool
	// Spelled is the path that a pattern without wildcards names; else it is "".
	Spelled string
	full    string // the pattern over absolute paths
	dots    bool   // its wildcards match segments that start with a dot
	// canonical matches a path, folded in any case; below matches all that is in the folder that
	// the pattern covers, which its wildcards only reach without dots; nil: none.
	canonical, folded, below *regexp.Regexp
}

// CompilePattern reads the pattern of a rule. dots says that its wildcards, as those of an allow, match
// segments that start with a dot.
func CompilePattern(t Roots, text string, dots bool) (Pattern, error) {
	if what := pattern.StrangeRune(text, ""); what != "" || text == "" {
		return Pattern{Text: text}, fmt.Errorf("path pattern %q: it is empty or holds %s", text, what)
	}
	return CompileFilled(t, text, dots)
}

// CompileFilled reads the pattern of a rule in which values may stand, each as [pattern.Escape]
// returns it.
func CompileFilled(t Roots, text string, dots bool) (Pattern, error) {
	p, err := Pattern{Text: text, dots: dots}, error(nil)
	if p.full, err = p.absolute(t); err != nil {
		return p, fmt.Errorf("path pattern %q: %w", pattern.Unescape(text), err)
	}
	p.canonical, p.folded = pattern.Path(p.full), pattern.Path(pattern.Fold(p.full))
	if !dots {
		p.canonical = pattern.Path(pattern.MarkDotted(p.full))
	}
	if folder, ok := strings.CutSuffix(p.full, "/**"); ok && text != "**" && !strings.HasPrefix(text, "**/") {
		p.below = pattern.Expression("(?s)^" + pattern.PathExpression(pattern.MarkDotted(folder)) + "/.")
	}
	if !strings.ContainsAny(text, "*?") && !strings.HasSuffix(text, "/") {
		p.Spelled = pattern.Unescape(p.full)
	}
	return p, nil
}

// absolute returns the pattern over absolute paths, and notes whether it is one itself.
func (p *Pattern) absolute(t Roots) (string, error) {
	text := p.Text
	if strings.HasSuffix(text, "/") {
		text += "**"
	}
	p.Absolute = strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/")
	switch {
	case strings.HasPrefix(text, "~/") && t.Home == "":
		return "", fmt.Errorf("there is no home directory")
	case strings.HasPrefix(text, "~/"):
		text = pattern.Escape(t.Home) + text[1:]
	case strings.HasPrefix(text, "~"):
		return "", fmt.Errorf("only ~/ can begin a pattern, not another user's home")
	}
	if slices.Contains(strings.Split(text, "/"), "..") {
		return "", fmt.Errorf("a pattern cannot hold \"..\"")
	}
	switch text = filepath.Clean(text); {
	case text == "." || text == "/":
		return "", fmt.Errorf("it names nothing")
	case p.Absolute:
		return realPrefix(text), nil
	}
	return Join(pattern.Escape(t.Workspace), text), nil
}

// realPrefix resolves symlinks in the directories before the first wildcard, since
// patterns match canonical paths. It leaves a prefix that does not exist as it is.
func realPrefix(text string) string {
	dir := fixed(text)
	real, err := filepath.EvalSymlinks(pattern.Unescape(dir))
	if err != nil || dir == "" {
		return text
	}
	return pattern.Escape(strings.TrimSuffix(real, "/")) + text[len(dir):]
}

// fixed returns the folders before the last segment, or the first one with a wildcard.
func fixed(text string) string {
	if end := strings.IndexAny(text, "*?"); end >= 0 {
		text = text[:end]
	}
	return text[:strings.LastIndexByte(text, '/')]
}

// Allows reports whether the pattern, an allow, matches a place.
func (p Pattern) Allows(at Path) bool {
	path := at.Canonical
	if !p.dots {
		path = pattern.MarkDottedPath(path)
	}
	return (p.Absolute || at.Inside) && p.canonical.MatchString(path)
}

// Hits reports whether the pattern, a deny or ask, matches the canonical or the given
// path.
func (p Pattern) Hits(at Path) bool {
	return p.folded.MatchString(pattern.Fold(at.Canonical)) || at.Given != at.Canonical && p.folded.MatchString(pattern.Fold(at.Given))
}

// AllowsBelow reports whether the pattern may match a file directly in a directory.
func (p Pattern) AllowsBelow(dir Path) bool {
	if !p.Absolute && !dir.Inside {
		return false
	}
	below := strings.Split(strings.TrimSuffix(dir.Canonical, "/"), "/")
	segments := strings.Split(p.full, "/")
	for i, segment := range segments {
		switch {
		case strings.Contains(segment, "**"):
			return i >= len(below) || strings.HasPrefix(below[i], pattern.Unescape(segment[:strings.IndexByte(segment, '*')]))
		case i == len(below):
			return i == len(segments)-1
		case !pattern.Path(segment).MatchString(below[i]):
			return false
		}
	}
	return false
}

// CoversFolderOf reports whether the pattern covers a whole folder, and a place is below
// it. Wildcards do not match dots at the start of a segment of the folder's own path.
func (p Pattern) CoversFolderOf(at Path) bool {
	return p.below != nil && (p.Absolute || at.Inside) && p.below.MatchString(pattern.MarkDottedPath(at.Canonical))
}

// Folder returns the deepest existing folder that holds everything a pattern can match, or
// the file that it spells.
func (p Pattern) Folder() string {
	path := p.Spelled
	if path == "" {
		path = Join(pattern.Unescape(fixed(p.full)), "")
	}
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
		if _, err := os.Lstat(path); err == nil || filepath.Dir(path) == path {
			return path // a link that leads nowhere
		}
		path = filepath.Dir(path)
	}
}

// maxLooked is how many files are looked at for one pattern.
const maxLooked = 1_000_000

// globEscaper turns a pattern of this package without ** into one of [filepath.Glob].
var globEscaper = strings.NewReplacer("\\", "\\\\", "[", "\\[", pattern.Escape("*"), "\\*", pattern.Escape("?"), "\\?")

// Found returns the existing paths that an absolute pattern matches, or the folders that it
// covers, with symlinks resolved. For ** before the end of a pattern it walks the whole folder,
// skipping what it can't read, and returns an error if there are too many files.
func (p Pattern) Found(t Roots) (real []string, err error) {
	var found []string
	if text := strings.TrimSuffix(p.full, "/**"); strings.Contains(text, "**") {
		found, err = p.walked(t, pattern.Path(pattern.Fold(text)))
	} else {
		found, err = filepath.Glob(globEscaper.Replace(text))
	}
	for _, path := range found {
		if path, err := filepath.EvalSymlinks(path); err == nil && path != "/" {
			real = append(real, path)
		}
	}
	return real, err
}

// walked returns the outermost paths in the folder of the pattern that match.
func (p Pattern) walked(t Roots, match *regexp.Regexp) (found []string, err error) {
	left := maxLooked
	return found, filepath.WalkDir(p.Folder(), func(path string, entry fs.DirEntry, err error) error {
		switch left--; {
		case left < 0:
			return fmt.Errorf("rule %q: there are more than %d files to look through; name the folder, as in ~/notes/**", p.Text, maxLooked)
		case err != nil:
			return nil // a command can't read it either, or it has gone
		case InKernel(path), path == t.Workspace:
			return fs.SkipDir // a rule is asked about each file in there
		case !match.MatchString(pattern.Fold(path)):
			return nil
		}
		found = append(found, path)
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}
