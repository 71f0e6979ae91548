package place

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// AllowsBelow reports whether some file directly in a directory fits.
func (p Pattern) AllowsBelow(dir Path) bool {
	prefix := Join(dir.Canonical, "")
	if !p.Absolute {
		if !dir.Inside {
			return false
		}
		prefix = ""
		if dir.Rel != "." {
			prefix = dir.Rel + "/"
		}
	}
	return pattern.Overlap(p.atoms, append(pattern.Literals(prefix), pattern.Atom{Wild: pattern.NameText}))
}

// CoversFolderOf reports whether the pattern names a folder with all that is in it,
// and a place is below that. In the folder's own path dots have to be spelled.
func (p Pattern) CoversFolderOf(at Path) bool {
	text := strings.TrimSuffix(p.Text, "/")
	if !strings.HasSuffix(p.Text, "/") {
		var ok bool
		if text, ok = strings.CutSuffix(p.Text, "/**"); !ok {
			return false
		}
	}
	end := slices.Index(segmentsOf(text), "**")
	if end == 0 {
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

func segmentsOf(path string) []string { return strings.Split(path, "/") }

// Folder returns the deepest folder that holds all that a pattern can name, or the
// one file that it names. What does not exist yet is reached by its parent.
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

// fixed is the part of a pattern before the segment of its first wildcard.
func (p Pattern) fixed() string {
	if p.Spelled != "" {
		return p.Spelled
	}
	var text strings.Builder
	for _, a := range p.atoms {
		if a.Wild != 0 {
			break
		}
		text.WriteRune(a.Char)
	}
	end := strings.LastIndexByte(text.String(), '/')
	return text.String()[:max(end, 0)]
}

// Found returns the paths that there are now of a pattern, without symlinks; none of
// one with ** before its end.
func (p Pattern) Found(t Roots) []string {
	text := strings.TrimSuffix(strings.TrimSuffix(p.Text, "/"), "/**")
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		text = Join(t.Home, rest)
	} else if text == "~" {
		text = t.Home
	}
	if strings.Contains(text, "**") {
		return nil
	}
	found, err := filepath.Glob(strings.NewReplacer("\\", "\\\\", "[", "\\[").Replace(text))
	if err != nil {
		return nil
	}
	var real []string
	for _, path := range found {
		if path, err := filepath.EvalSymlinks(path); err == nil && path != "/" {
			real = append(real, path)
		}
	}
	return real
}
