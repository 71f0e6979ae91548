package permission

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/reach"
)

// IsSecret reports whether a file holds secrets, judging by its path. No wildcard of a
// rule lets such a file be read.
func IsSecret(path string) bool { return place.IsSecret(path) }

// HasOtherNames reports whether a file has more than one name (hard links).
func HasOtherNames(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && place.HardLinks(info) > 1
}

// whyNotWritten returns why no rule can allow writing a file, or "".
func (p *Policy) whyNotWritten(path string, at place.Path) string {
	switch {
	case strings.ContainsRune(path, '\\'):
		return "it holds a backslash"
	case at.Slash:
		return "it ends in a slash"
	}
	if why := place.Unwritable(path); why != "" {
		return why
	}
	if why := place.Unwritable(at.Name()); why != "" {
		return why
	}
	if at.Inside && p.roots.MakesBareRepository(at.Canonical) {
		return "git might take its folder for a bare repository"
	}
	if p.isProtected(at) {
		return paths.WhyProtected(at.Canonical, folder.AnyHolds(p.hooks, at.Canonical))
	}
	if at.Info != nil && HasOtherNames(at.Info) {
		return "the file has more than one name (hard links)"
	}
	return ""
}

// isProtected reports whether a place is one of Config.Protected, or in one, also if only
// case differs, or if it is another name of the same file.
func (p *Policy) isProtected(at place.Path) bool {
	canonical, given := pattern.Fold(at.Canonical), pattern.Fold(at.Given)
	for _, file := range p.protected {
		if folder.Holds(file.folded, canonical) || folder.Holds(file.folded, given) {
			return true
		}
		if at.Info == nil {
			continue
		}
		if info, err := os.Stat(file.path); err == nil && os.SameFile(info, at.Info) {
			return true
		}
	}
	return false
}

// protectedFile is one of Config.Protected.
type protectedFile struct{ path, folded string }

// CheckPath returns an error if neither a rule nor a call may name a path. The error is
// the end of a sentence that begins with the path.
func CheckPath(path string) error { return place.CheckPath(path) }

// deniesSomeWrites reports whether a rule denies or asks about writing some files.
func (p *Policy) deniesSomeWrites() bool {
	return slices.ContainsFunc(p.domains, func(d *domain) bool {
		return d.write != nil && slices.ContainsFunc(d.write.patterns, func(p pathRule) bool { return p.verdict != Allow })
	})
}

// whyNotWhole returns why no rule can allow writing a whole directory, or "": it holds
// something that is never written, or too many files to look at.
func (p *Policy) whyNotWhole(dir string) string {
	for _, file := range append([]protectedFile{{path: p.roots.Start()}}, p.protected...) {
		if folder.Holds(dir, file.path) {
			return "it holds the workspace or a file of the running workflow"
		}
	}
	left := reach.MaxSearched
	return p.whyNotAll(dir, &left)
}

func (p *Policy) whyNotAll(dir string, left *int) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "it cannot be looked through: " + paths.Cause(err).Error()
	}
	for _, e := range entries {
		if *left--; *left < 0 {
			return "it holds too many files to be looked through"
		}
		if place.IsReserved(e.Name()) {
			return "it holds " + e.Name() + ", which is never writable"
		}
		if e.IsDir() {
			if why := p.whyNotAll(filepath.Join(dir, e.Name()), left); why != "" {
				return why
			}
		}
	}
	return ""
}

// deniesPaths reports whether a rule denies or asks about commands with words that look
// like paths.
func (p *Policy) deniesPaths() bool {
	return slices.ContainsFunc(p.domains, func(d *domain) bool {
		return d.bash != nil && slices.ContainsFunc(d.bash.patterns, func(p bashPattern) bool {
			return p.verdict != Allow && slices.ContainsFunc(p.words[1:], func(w patternWord) bool { return strings.ContainsAny(w.text, "/.") })
		})
	})
}
