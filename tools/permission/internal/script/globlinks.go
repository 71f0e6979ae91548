package script

import (
	"io/fs"
	"os"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// globLinks finds the names that a glob becomes by way of links: as text such a
// name says nothing of where it leads.
type globLinks struct {
	walker *walker
	// all says that the other names are to be found too.
	all   bool
	found []string
	// lost says that there is too much to be looked through.
	lost bool
}

// throughLinks returns where a globbed word leads through links, or with all true
// wherever it leads now, and false where that cannot be told.
func (w *walker) throughLinks(x word.Word, at Cwd, all bool) (out []place.Path, ok bool) {
	g := globLinks{walker: w, all: all}
	path := literalPath(x)
	for _, dir := range at.Dirs {
		if strings.HasPrefix(path, "/") {
			dir = "/"
		}
		g.walk(dir, strings.Split(path, "/"), false)
	}
	for _, name := range g.found {
		out = append(out, w.placeOf(name, "/"))
	}
	return out, !g.lost
}

// walk goes on from a directory with the segments that are left. linked says
// that the way led through a link.
func (g *globLinks) walk(dir string, segments []string, linked bool) {
	if place.InKernel(dir) {
		return // the text of the word says so
	}
	if g.lost || len(segments) == 0 {
		if linked || g.all {
			g.found = append(g.found, dir)
		}
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
	case segment == "**" && g.walker.globstar:
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
	entries, ok := g.walker.entries(dir)
	if g.lost = !ok; g.lost {
		return
	}
	glob := pattern.Glob(pattern.Fold(segment))
	dots := strings.HasPrefix(segment, ".") || g.walker.dotglob
	for _, e := range entries {
		if g.walker.searched++; g.walker.searched > MaxHeld {
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
func (w *walker) entries(dir string) ([]fs.DirEntry, bool) {
	if all, ok := w.listings[dir]; ok || w.searched > MaxHeld {
		return all, ok
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		all = nil
	}
	w.searched += len(all)
	w.listings[dir] = all
	return all, true
}
