package reach

import (
	"io/fs"
	"os"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// globLinks finds the files that match a glob on a path through symlinks: the text of the
// glob does not say where such a path leads.
type globLinks struct {
	search *search
	// all says to find all files that match.
	all   bool
	found []string
	// lost says that there are too many files to look at.
	lost bool
}

// throughLinks returns the places of the files that match a globbed word through
// symlinks, or with all true of all files that match. ok is false when there may be more.
func (s *search) throughLinks(x word.Word, at script.Cwd, all bool) (out []place.Path, ok bool) {
	g := globLinks{search: s, all: all}
	path := literalPath(x)
	for _, dir := range at.Dirs {
		if strings.HasPrefix(path, "/") {
			dir = "/"
		}
		g.walk(dir, strings.Split(path, "/"), false)
	}
	for _, name := range g.found {
		out = append(out, s.placeOf(name, "/"))
	}
	return out, !g.lost
}

// walk matches the remaining segments from a directory on. linked says that the path so
// far leads through a symlink.
func (g *globLinks) walk(dir string, segments []string, linked bool) {
	switch {
	case len(segments) == 0 && (g.all || linked && !place.InKernel(dir)):
		g.found = append(g.found, dir)
		return
	case g.lost || len(segments) == 0 || place.InKernel(dir): // the kernel's files are found by the text of the word
		return
	}
	segment, rest := segments[0], segments[1:]
	switch {
	case !strings.ContainsAny(segment, "*?["):
		next := dir
		if segment != "" && segment != "." {
			next = place.Join(dir, segment)
		}
		if info, err := os.Lstat(next); err == nil {
			g.walk(next, rest, linked || info.Mode()&fs.ModeSymlink != 0)
		}
	case segment == "**" && g.search.Globstar:
		g.lost = true
	default:
		g.fitting(dir, segment, func(e fs.DirEntry) {
			g.walk(place.Join(dir, e.Name()), rest, linked || e.Type()&fs.ModeSymlink != 0)
		})
	}
}

// fitting calls each for the entries of a directory that match a segment, until too many
// files were looked at.
func (g *globLinks) fitting(dir, segment string, each func(fs.DirEntry)) {
	entries, ok := g.search.entries(dir)
	if g.lost = !ok; g.lost {
		return
	}
	glob := pattern.Glob(pattern.Fold(segment))
	dots := strings.HasPrefix(segment, ".") || g.search.Dotglob
	for _, e := range entries {
		if g.search.searched++; g.search.searched > MaxSearched {
			g.lost = true
			return
		}
		if strings.HasPrefix(e.Name(), ".") && !dots {
			continue
		}
		if strings.Contains(segment, "[") || pattern.Match(glob, []rune(pattern.Fold(e.Name())), nil) {
			each(e)
		}
	}
}

// entries returns the entries of a directory, or none if it can't be read. It returns
// false when too many files were looked at.
func (s *search) entries(dir string) ([]fs.DirEntry, bool) {
	if all, ok := s.listings[dir]; ok || s.searched > MaxSearched {
		return all, ok
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		all = nil
	}
	s.searched += len(all)
	s.listings[dir] = all
	return all, true
}
