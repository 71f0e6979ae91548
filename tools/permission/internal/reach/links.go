package reach

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// What a part copies, moves or links may be links, and so may be what a checkout or an
// archive brings: behind it in the same script nobody knows where a path leads.

// makers are the first and the last part that may make something a link.
type makers struct{ first, last int }

// before reports whether another part makes it before part i runs. Where parts may run
// again or at once their order says nothing.
func (m makers) before(i int, unordered bool) bool {
	return m.first < i || unordered && (m.first != i || m.last != i)
}

// behindLinks refuses what reads or writes files in a script after a part that may have
// put links there. Where the script makes any link, a copy may be of that.
func (s *search) behindLinks() {
	made := map[string]makers{}
	note := func(path string, i int) {
		m, ok := made[path]
		if !ok {
			m.first = i
		}
		made[path] = makers{m.first, i}
	}
	linking := slices.ContainsFunc(s.parts, func(u *Part) bool { return u.makesLinks })
	for i, u := range s.parts {
		if u.BringsFiles() {
			note("", i)
		}
		for _, path := range u.copiesTo {
			if linking {
				note(path, i)
			}
		}
	}
	for i, u := range s.parts {
		before := func(path string) bool {
			m, ok := made[path]
			return ok && m.before(i, s.Unordered)
		}
		switch {
		case u.Refused != "":
		case linking && u.leadsThrough(before, slices.ContainsFunc(slices.Collect(maps.Keys(made)), before)):
			u.Unsure = "it leads through what the same command copies or links"
			u.Anywhere = u.Anywhere || len(u.Writes)+len(u.Outs) > 0
		case before("") && !u.BringsFiles():
			u.standBehindOthers()
		}
	}
}

// leadsThrough reports whether a part reads or writes at or below what may be a link.
// Some says that there is anything that may.
func (u *Part) leadsThrough(isLink func(path string) bool, some bool) bool {
	below := func(path string) bool {
		for path = pattern.Fold(path); path != ""; path = path[:max(0, strings.LastIndexByte(path, '/'))] {
			if isLink(path) {
				return true
			}
		}
		return isLink("/")
	}
	through := func(p place.Path) bool {
		return below(p.Given) || below(p.Canonical) || slices.ContainsFunc(p.Passed, below)
	}
	return some && u.Follows ||
		slices.ContainsFunc(slices.Concat(u.Writes, slices.Concat(u.Outs...)), func(t WriteTarget) bool { return through(t.At) }) ||
		slices.ContainsFunc(u.Reads, func(x PathWord) bool { return some && x.Globbed || slices.ContainsFunc(x.Places, through) })
}

// standBehindOthers marks the files of the workspace that a part touches after one that
// may have put those of others there.
func (u *Part) standBehindOthers() {
	const why = "what runs before it may have put a link there: make it a call of its own"
	for k := range u.Writes {
		if u.Writes[k].At.Inside && u.Writes[k].Refused == "" {
			u.Writes[k].Unsure, u.Anywhere = why, true
		}
	}
	if slices.ContainsFunc(u.Outs, func(files []WriteTarget) bool { return len(files) > 0 }) {
		u.Unsure, u.Anywhere = why, true
	}
	for k, x := range u.Reads {
		inside := len(x.Globs) > 0 || slices.ContainsFunc(x.Places, func(p place.Path) bool { return p.Inside && p.Rel != "." })
		u.Reads[k].Unseen = x.Unseen || inside && showsFiles(u)
	}
}

// BringsFiles reports whether a part may put files of others, links among them,
// in the place of those that are there.
func (u *Part) BringsFiles() bool {
	return len(u.Words) > 1 && program.Named(u.Name).Brings.Of(u.Words)
}

// showsFiles reports whether a program may print, copy or send what is in the
// files that it is given.
func showsFiles(u *Part) bool {
	known := program.Named(u.Name)
	return len(u.Words) == 0 || known.Contents == program.Shown || known.Contents != program.Hidden && (program.IsReader(u.Words) || known.Copies)
}

// noteCopies notes where a part puts files under other names, "/" for anywhere, and
// whether these may be links. A copy or a move makes none if what it takes is known, and
// is no link and holds none now.
func (s *search) noteCopies(u *Part) {
	known := program.Named(u.Name)
	if u.Words[0].Kind != word.Static || !known.Copies {
		return
	}
	operands, targets := known.CopyTargets(u.Words)
	if slices.ContainsFunc(u.Words[1:], program.MayBecomeTarget) {
		u.copiesTo, u.makesLinks = []string{"/"}, true
	}
	for _, x := range targets {
		u.copiesTo = append(u.copiesTo, s.mayBeAt(x, u.At)...)
	}
	if !known.GivesTarget(u.Words) {
		operands = operands[:max(0, len(operands)-1)]
	}
	plain := u.Name == "mv" || u.Name == "install" || u.Name == "cp" && !program.MakesLinks(u.Words)
	u.makesLinks = u.makesLinks || !plain || slices.ContainsFunc(operands, func(x word.Word) bool {
		entries, all := s.entriesOf(x, u.At)
		return x.Kind != word.Static || !all || slices.ContainsFunc(entries, func(e place.Path) bool { return s.holdsLink(e.Canonical) })
	})
}

// mayBeAt returns the folded paths of which a target may be one; "/" where it may be any.
func (s *search) mayBeAt(target word.Word, at script.Cwd) (paths []string) {
	path := literalPath(target)
	if target.Kind != word.Static || at.Lost && !strings.HasPrefix(path, "/") {
		return []string{"/"}
	}
	for _, dir := range at.Dirs {
		if to, err := s.roots.Resolve(dir, path); err != nil {
			paths = append(paths, "/")
		} else {
			paths = append(paths, pattern.Fold(to.Given), pattern.Fold(to.Canonical))
		}
	}
	return paths
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
			return paths.ErrLinks
		}
		return nil
	})
	return err != nil
}

func (u *Part) writesAt(path string) bool {
	return slices.ContainsFunc(u.Writes, func(t WriteTarget) bool { return t.At.Canonical == path })
}
