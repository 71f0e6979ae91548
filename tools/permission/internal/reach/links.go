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

// A part may put symlinks in place: by copying, moving or linking, or by a checkout or an
// archive. In the parts after it nobody knows where a path leads.

// makers are the indexes of the first and the last part that may make a path a symlink.
type makers struct{ first, last int }

// before reports whether a part other than i may make the symlink before part i runs.
// When parts are unordered, a later one may.
func (m makers) before(i int, unordered bool) bool {
	return m.first < i || unordered && (m.first != i || m.last != i)
}

// behindLinks marks the parts that read or write files after a part that may have put a
// symlink on the way. If the script makes any link, every copy may be a copy of it.
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

// leadsThrough reports whether a part reads or writes at or below a path that may be a
// symlink. some says that there is such a path at all.
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

// standBehindOthers marks the files of the workspace that a part reads or writes after a
// part that may have replaced them by files from elsewhere.
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

// BringsFiles reports whether a part may replace files of the workspace by files, or
// symlinks, from elsewhere.
func (u *Part) BringsFiles() bool {
	return len(u.Words) > 1 && program.Named(u.Name).Brings.Of(u.Words)
}

// showsFiles reports whether a program may print, copy or send what is in its files.
func showsFiles(u *Part) bool {
	known := program.Named(u.Name)
	return len(u.Words) == 0 || known.Contents == program.Shown || known.Contents != program.Hidden && (program.IsReader(u.Words) || known.Copies)
}

// noteCopies sets where a part puts files under other names, "/" for anywhere, and whether
// these may be links. A copy or a move makes none if its sources are known, and neither
// are symlinks nor hold any.
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

// mayBeAt returns the paths, folded, that a target may have; "/" if that may be any.
func (s *search) mayBeAt(target word.Word, at script.Cwd) (paths []string) {
	path := literalPath(target)
	if target.Kind != word.Static || at.Lost && !strings.HasPrefix(path, "/") {
		return []string{"/"}
	}
	for _, dir := range at.Dirs {
		if to, err := s.rules.Roots.Resolve(dir, path); err != nil {
			paths = append(paths, "/")
		} else {
			paths = append(paths, pattern.Fold(to.Given), pattern.Fold(to.Canonical))
		}
	}
	return paths
}

// holdsLink reports whether a path may be a symlink or a special file, or a directory with
// a symlink in it. One that does not exist yet is neither if the script writes it.
func (s *search) holdsLink(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) || !slices.ContainsFunc(s.parts, func(u *Part) bool { return u.writesAt(path) })
	}
	if !info.IsDir() {
		return !info.Mode().IsRegular()
	}
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if s.searched++; err != nil || s.searched > MaxSearched || d.Type()&fs.ModeSymlink != 0 {
			return paths.ErrLinks
		}
		return nil
	})
	return err != nil
}

func (u *Part) writesAt(path string) bool {
	return slices.ContainsFunc(u.Writes, func(t WriteTarget) bool { return t.At.Canonical == path })
}
