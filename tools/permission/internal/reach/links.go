package reach

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// madeLink is what a part of the script may make a link.
type madeLink struct {
	path string // absolute; "/" stands for every path
	unit int    // the part that makes it
}

// noteLinks remembers what a command may make a link: what is reached through it
// later in the script leads somewhere that cannot be seen yet.
func (s *search) noteLinks(words []word.Word, at script.Cwd) {
	key := program.NameOf(words[0])
	known := program.Named(key)
	if words[0].Kind != word.Static || !known.Copies {
		return
	}
	operands, targets := known.CopyTargets(words)
	if slices.ContainsFunc(words[1:], program.MayBecomeTarget) {
		s.addLink("/")
	}
	note := s.addLink
	if s.copiesNoLink(key, words, operands, at) {
		note = s.addCopy
	}
	if s.refused != "" {
		return
	}
	for _, x := range targets {
		path := literalPath(x)
		if x.Kind != word.Static || at.Lost && !strings.HasPrefix(path, "/") {
			note("/")
			continue
		}
		for _, dir := range at.Dirs {
			to, err := s.roots.Resolve(dir, path)
			if err != nil {
				note("/")
				continue
			}
			note(to.Given)
			note(to.Canonical)
		}
	}
}

// copiesNoLink reports whether a copy or a move makes no link: what it takes is
// known, and is no link and holds none now. Only what makes links could change
// that before it runs; see throughLink.
func (s *search) copiesNoLink(key string, words, operands []word.Word, at script.Cwd) bool {
	switch key {
	case "mv", "install":
	case "cp":
		if program.MakesLinks(words) {
			return false
		}
	default:
		return false
	}
	sources := operands
	if !program.Named(key).GivesTarget(words) {
		sources = operands[:max(0, len(operands)-1)]
	}
	return !slices.ContainsFunc(sources, func(x word.Word) bool { return x.Kind != word.Static || s.mayBeLink(x, at) })
}

// mayBeLink reports whether an operand is a link, or a directory that holds one.
func (s *search) mayBeLink(x word.Word, at script.Cwd) bool {
	entries, all := s.entriesOf(x, at)
	return !all || slices.ContainsFunc(entries, func(e place.Path) bool { return s.holdsLink(e.Canonical) })
}

// holdsLink reports whether a file is a link, or a directory with one in it, or
// too large to be looked through. One that is not there yet is none if the
// script has written it before.
func (s *search) holdsLink(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) || !slices.ContainsFunc(s.parts, func(u *Part) bool { return u.writesAt(path) })
	}
	if !info.IsDir() {
		return !info.Mode().IsRegular()
	}
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if s.searched++; err != nil || s.searched > MaxHeld || d.Type()&fs.ModeSymlink != 0 {
			return place.ErrLinks
		}
		return nil
	})
	return err != nil
}

func (u *Part) writesAt(path string) bool {
	return slices.ContainsFunc(u.Writes, func(t WriteTarget) bool { return t.At.Canonical == path })
}

func (s *search) addLink(path string) { s.links = s.made(s.links, path) }
func (s *search) addCopy(path string) { s.copies = s.made(s.copies, path) }

// made adds what the next part makes.
func (s *search) made(all []madeLink, path string) []madeLink {
	made := madeLink{pattern.Fold(path), len(s.parts)}
	if s.refused != "" || slices.Contains(all, made) {
		return all
	}
	if len(all) >= place.MaxLinks*script.MaxDirs {
		s.refuse("it copies or links too many files to be judged")
		return all
	}
	return append(all, made)
}

// throughLink refuses what leads through what the script may make a link. Where
// it makes any, a copy may be of that.
func (s *search) throughLink() {
	if len(s.links) == 0 {
		return
	}
	s.links = append(s.links, s.copies...)
	if len(s.links)*s.globs > maxLinkedGlobs {
		s.refuse("it has too many globs beside what it copies or links")
		return
	}
	made := map[string]makers{}
	for _, l := range s.links {
		m, ok := made[l.path]
		if !ok {
			m.first = l.unit
		}
		m.last = max(m.last, l.unit)
		made[l.path] = m
	}
	for i, u := range s.parts {
		if u.Refused == "" && s.leadsThrough(u, i, made) {
			u.Anywhere = u.Anywhere || len(u.Writes)+len(u.Outs) > 0
			u.Unsure = "it leads through what the same command copies or links"
		}
	}
}

// maxLinkedGlobs bounds how often a glob is compared with a link.
const maxLinkedGlobs = 4096

// makers are the first and the last part that may make a path a link.
type makers struct{ first, last int }

// before reports whether another part makes the link before part i runs. Where
// parts may run again or at once their order says nothing.
func (m makers) before(i int, unordered bool) bool {
	if unordered {
		return m.first != i || m.last != i
	}
	return m.first < i
}

// leadsThrough reports whether part i reads or writes at or below a link.
func (s *search) leadsThrough(u *Part, i int, made map[string]makers) bool {
	below := func(path string) bool {
		for path = pattern.Fold(path); path != ""; path = path[:max(0, strings.LastIndexByte(path, '/'))] {
			if m, ok := made[path]; ok && m.before(i, s.Unordered) {
				return true
			}
		}
		m, ok := made["/"]
		return ok && m.before(i, s.Unordered)
	}
	through := func(p place.Path) bool {
		return below(p.Given) || below(p.Canonical) || slices.ContainsFunc(p.Passed, below)
	}
	if u.Follows {
		for _, m := range made {
			if m.before(i, s.Unordered) {
				return true // a link in what it copies, perhaps
			}
		}
	}
	for _, target := range slices.Concat(u.Writes, slices.Concat(u.Outs...)) {
		if through(target.At) {
			return true
		}
	}
	for _, x := range u.Reads {
		if slices.ContainsFunc(x.Places, through) {
			return true
		}
		if len(x.Globs)+len(x.Shapes) == 0 {
			continue
		}
		for path, m := range made {
			if m.before(i, s.Unordered) && x.mayLeadThrough(path) {
				return true
			}
		}
	}
	return false
}

// mayLeadThrough reports whether a globbed word may become a path at or below
// another.
func (x PathWord) mayLeadThrough(path string) bool {
	at := pattern.Literals(path)
	below := append(pattern.Literals(strings.TrimSuffix(path, "/")+"/"), pattern.Atom{Wild: pattern.Text})
	return slices.ContainsFunc(slices.Concat(x.Globs, x.Shapes), func(glob []pattern.Atom) bool {
		return pattern.Overlap(glob, at) || pattern.Overlap(glob, below)
	})
}
