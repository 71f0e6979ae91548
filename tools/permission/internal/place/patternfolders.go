package place

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// AllowsBelow reports whether the pattern may match a file directly in a directory.
func (p Pattern) AllowsBelow(dir Path) bool {
	path := dir.Canonical
	if !p.Absolute {
		if !dir.Inside {
			return false
		}
		path = strings.TrimPrefix("/"+dir.Rel, "/.")
	}
	below := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	segments := strings.FieldsFunc(p.clean, func(r rune) bool { return r == '/' })
	for i, segment := range segments {
		switch {
		case strings.Contains(segment, "**"):
			return i >= len(below) || strings.HasPrefix(segment, "**") || strings.HasPrefix(below[i], pattern.Unescape(segment[:strings.IndexByte(segment, '*')]))
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
	text := strings.TrimSuffix(p.Text, "/")
	if !strings.HasSuffix(p.Text, "/") {
		var ok bool
		if text, ok = strings.CutSuffix(p.Text, "/**"); !ok {
			return false
		}
	}
	if text == "**" || strings.HasPrefix(text, "**/") {
		return false // any folder at all
	}
	folder := at
	for {
		parent := filepath.Dir(folder.Name())
		if parent == "." || parent == "/" {
			return false
		}
		folder = folder.parent()
		if p.Allows(folder.Child("x"), true) {
			return true
		}
	}
}

// Folder returns the deepest existing folder that holds everything a pattern can match, or
// the file that it spells.
func (p Pattern) Folder(t Roots) string {
	text := p.fixed()
	if !p.Absolute {
		text = Join(t.Workspace, text)
	}
	for {
		if real, err := filepath.EvalSymlinks(text); err == nil {
			return real
		}
		if _, err := os.Lstat(text); err == nil || filepath.Dir(text) == text {
			return text // a link that leads nowhere
		}
		text = filepath.Dir(text)
	}
}

// fixed returns the path before the segment with the first wildcard.
func (p Pattern) fixed() string {
	if p.Spelled != "" {
		return p.Spelled
	}
	head := p.clean[:strings.IndexAny(p.clean, "*?")]
	return pattern.Unescape(head[:max(strings.LastIndexByte(head, '/'), 0)])
}

// mostLooked is how many files are looked at for one pattern.
const mostLooked = 1_000_000

// Found returns the existing paths that an absolute pattern matches, with symlinks
// resolved. For ** before the end of a pattern it walks the whole folder, skipping what it
// can't read, and returns an error if there are too many files.
func (p Pattern) Found(t Roots) (real []string, err error) {
	text := strings.TrimSuffix(strings.TrimSuffix(p.Text, "/"), "/**")
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		text = Join(pattern.Escape(t.Home), rest)
	} else if text == "~" {
		text = pattern.Escape(t.Home)
	}
	var found []string
	if strings.Contains(text, "**") {
		found, err = p.walked(t, text)
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

// globEscaper turns a pattern of this package without ** into one of [filepath.Glob].
var globEscaper = strings.NewReplacer("\\", "\\\\", "[", "\\[", pattern.Escape("*"), "\\*", pattern.Escape("?"), "\\?")

// walked returns the outermost paths that match text, the pattern without a final /**.
func (p Pattern) walked(t Roots, text string) (found []string, err error) {
	named, err := CompileFilled(t, text)
	if err != nil {
		return nil, err
	}
	left := mostLooked
	return found, filepath.WalkDir(named.Folder(t), func(path string, entry fs.DirEntry, err error) error {
		switch left--; {
		case left < 0:
			return fmt.Errorf("rule %q: there are more than %d files to look through; name the folder, as in ~/notes/**", p.Text, mostLooked)
		case err != nil:
			return nil // a command can't read it either, or it has gone
		case InKernel(path), path == t.Workspace:
			return fs.SkipDir // a rule is asked about each file in there
		case !named.hitsPath(t.foldPath(path)):
			return nil
		}
		found = append(found, path)
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}
