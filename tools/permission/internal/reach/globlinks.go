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

// globLinks finds the names that a glob becomes by way of links: as text such a
// name says nothing of where it leads.
type globLinks struct {
	search *search
	// all says that the other names are to be found too.
	all   bool
	found []string
	// lost says that there is too much to be looked through.
	lost bool
}

// throughLinks returns where a globbed word leads through links, or with all true
// wherever it leads now, and false where that cannot be told.
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

// walk goes on from a directory with the segments that are left. linked says
// that the way led through a link.
func (g *globLinks) walk(dir string, segments []string, linked bool) {
	switch {
	case len(segments) == 0 && (g.all || linked && !place.InKernel(dir)):
		g.found = append(g.found, dir)
		return
	case g.lost || len(segments) == 0 || place.InKernel(dir): // the text of the word says so
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

// fitting goes through the entries of a directory that a segment may become, until
// there is too much to be looked through.
func (g *globLinks) fitting(dir, segment string, each func(fs.DirEntry)) {
	entries, ok := g.search.entries(dir)
	if g.lost = !ok; g.lost {
		return
	}
	glob := pattern.Glob(pattern.Fold(segment))
	dots := strings.HasPrefix(segment, ".") || g.search.Dotglob
	for _, e := range entries {
		if g.search.searched++; g.search.searched > MaxHeld {
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

// entries returns what is in a directory, nothing where there is none. It is
// false when too much was looked through.
func (s *search) entries(dir string) ([]fs.DirEntry, bool) {
	if all, ok := s.listings[dir]; ok || s.searched > MaxHeld {
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
