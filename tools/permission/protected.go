package permission

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// IsSecret reports whether a file holds secrets, judging by its path. No wildcard of a
// rule lets such a file be read.
func IsSecret(path string) bool { return place.IsSecret(path) }

// HasOtherNames reports whether a file has more than one name (hard links).
func HasOtherNames(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && stat.Nlink > 1
}

// whyNotWritten returns why no rule can allow writing a file, or "".
func (p *Policy) whyNotWritten(path string, at place.Path) string {
	why := cmp.Or(place.Unopenable(at), place.Unwritable(path), place.Unwritable(at.Name()), p.whyProtected(at))
	switch {
	case why != "":
		return why
	case strings.ContainsRune(path, '\\'):
		return "it holds a backslash"
	case strings.HasSuffix(path, "/"):
		return "it ends in a slash"
	case at.Inside && p.roots.MakesBareRepository(at.Canonical):
		return "git might take its folder for a bare repository"
	case at.Info != nil && HasOtherNames(at.Info):
		return "the file has more than one name (hard links)"
	}
	return ""
}

// whyProtected returns why a place is never written that is one of Config.Protected, or in one,
// also if only case differs, or another name of the same file. It is "" for any other.
func (p *Policy) whyProtected(at place.Path) string {
	canonical, given := pattern.Fold(at.Canonical), pattern.Fold(at.Given)
	same := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && os.SameFile(info, at.Info)
	}
	for _, file := range p.protected {
		folded := pattern.Fold(file)
		if paths.Holds(folded, canonical) || paths.Holds(folded, given) || at.Info != nil && same(file) {
			return paths.WhyProtected(at.Canonical, paths.AnyHolds(p.hooks, at.Canonical))
		}
	}
	return ""
}

// CheckPath returns an error if neither a rule nor a call may name a path. The error is
// the end of a sentence that begins with the path.
func CheckPath(path string) error { return place.CheckPath(path) }

// writingWhole decides about a whole folder: no rule can allow it if it holds something that
// is never written, or too many files to look at. changes says that all in it changes.
func (j shellJudge) writingWhole(dir string, changes bool) Decision {
	p := j.files.policy
	for _, file := range append([]string{p.roots.Start()}, p.protected...) {
		if paths.Holds(dir, file) {
			return refused("it holds the workspace or a file of the running workflow")
		}
	}
	worst := Decision{Verdict: Allow}
	left := maxSearched
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		left--
		switch {
		case err != nil:
			return err
		case left < 0:
			return errors.New("it holds too many files to be looked through")
		case place.IsReserved(e.Name()):
			return fmt.Errorf("it holds %s, which is never writable", e.Name())
		}
		if f := j.write.restriction(p.roots.Known(path)); changes && f != nil && f.stricter(worst) {
			worst = *f
			worst.Reason = fmt.Sprintf("it holds %q: %s", p.roots.Known(path).Name(), f.Reason)
		}
		return nil
	})
	if err != nil {
		return refused(paths.Cause(err).Error())
	}
	return worst
}
