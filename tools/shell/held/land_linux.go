package held

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Land judges the changes of the command, and moves them into the workspace: all of them,
// or none if one is denied; with partial true, those that are allowed. It may be called
// only when the command has ended.
func (v *View) Land(judge Judge, partial bool) (Outcome, error) {
	if v.call.ReadOnly {
		return Outcome{}, nil
	}
	ground := v.space.ground()
	ledger := ledgerOf(ground)
	ledger.mu.Lock()
	defer ledger.mu.Unlock()
	if root, err := os.Open(ground); err == nil {
		defer root.Close()
		_ = unix.Flock(int(root.Fd()), unix.LOCK_EX) // against other processes that land here
	}
	defer v.absorbCaches()
	v.secrets = Secrets(v.space.run.o.Home, v.space.o.Root, v.space.o.Reveal)
	all, collectors, err := v.collect(judge)
	if err != nil {
		return Outcome{}, fmt.Errorf("what the command changed: %w", err)
	}
	if c, found := v.brought(); found {
		return Outcome{Denied: []Denial{{c, "programs beside git can't see what is hidden: run git in a command of its own"}}, Withheld: true}, nil
	}
	if v.call.Git && slices.ContainsFunc(all, func(e effect) bool { return e.git != nil }) {
		partial = false // a repository is not changed by halves
	}
	out, effects := v.decide(all, judge)
	if len(out.Denied) > 0 && !partial {
		return out, nil
	}
	out.Partial = len(out.Denied) > 0
	if out.Conflicts = v.conflicts(effects, ledger); len(out.Conflicts) > 0 {
		return out, nil
	}
	if err := v.carryOut(effects); err != nil {
		return out, err
	}
	ledger.number++
	for _, e := range effects {
		ledger.paths[e.Path] = ledger.number
	}
	out.Landed = len(effects)
	v.space.mask.note(effects)
	out.Kept, err = v.keep(collectors[0])
	v.landed = len(out.Denied) == 0 && err == nil
	return out, err
}

// collect finds all changes, below every root.
func (v *View) collect(judge Judge) ([]effect, []*collector, error) {
	var all []effect
	var collectors []*collector
	for i, up := range v.uppers {
		c := &collector{up: up, view: v, closed: map[string]uint32{}}
		if i == 0 && v.space.o.Ignored != nil {
			ignored := v.space.o.Ignored()
			c.aside = func(change Change) bool {
				if change.git != nil || change.beside || !ignored(change.Rel, change.Folder) {
					return false
				}
				allowed, _ := judge(change)
				return !allowed && !(change.Folder && v.allowsBelow(judge, change))
			}
		}
		openToOwner(up.Upper)
		if err := c.collect("", true, false); err != nil {
			return nil, nil, err
		}
		all = append(all, c.effects...)
		collectors = append(collectors, c)
	}
	return all, collectors, nil
}

// allowsBelow reports whether a file with any name in the folder would be allowed.
func (v *View) allowsBelow(judge Judge, c Change) bool {
	c.Path, c.Rel, c.Folder = filepath.Join(c.Path, "any name"), filepath.Join(c.Rel, "any name"), false
	allowed, _ := judge(c)
	return allowed
}

// denial returns why a change can't land, or "".
func (v *View) denial(e effect, judge Judge) string {
	if e.never != "" {
		return e.never
	}
	if why := e.Change.never(v.call, v.space.o); why != "" {
		return why
	}
	if covers(v.hidden, e.Path) && e.Kind != Create { // it has changed what it could not see
		return "what is in it is hidden from commands"
	}
	if e.Link != "" {
		if why := e.badLink(v.secrets, v.hidesPath); why != "" {
			return why
		}
	}
	if e.git != nil { // Change.never lets only a command of git change it
		if v.space.o.Disposable {
			return ""
		}
		return v.armed(e)
	}
	if bare := v.bareRepository(e); bare != "" && !v.space.o.Disposable {
		return bare
	}
	if ok, rule := judge(e.Change); !ok && !(e.Folder && v.allowsBelow(judge, e.Change)) {
		if rule == "" {
			rule = "no rule allows it"
		}
		return rule
	}
	return ""
}

// decide separates the changes that may land from those that are denied. A folder that is
// created or removed follows what is in it; an empty one needs a rule for itself, or for a
// file in it. A file with unchanged content is never reported as denied.
func (v *View) decide(all []effect, judge Judge) (out Outcome, allowed []effect) {
	holds, lands := map[string]bool{}, map[string]bool{} // the folders in which something changes, and in which something lands
	for _, e := range all {
		holds[filepath.Dir(e.Path)] = true
	}
	for _, e := range slices.Backward(all) { // what is created in a folder comes after that
		ok := e.Kind == Delete || lands[e.Path] // a folder that keeps something is not removed
		if !e.Folder || e.setsMode() || !holds[e.Path] {
			why := v.denial(e, judge)
			if ok = why == ""; !ok && !e.same {
				out.Denied = append(out.Denied, Denial{e.Change, why})
			}
		}
		if ok {
			allowed, lands[filepath.Dir(e.Path)] = append(allowed, e), true
		}
	}
	slices.Reverse(out.Denied)
	slices.Reverse(allowed)
	return out, allowed
}

// conflicts returns the paths that somebody else has changed since the command began.
func (v *View) conflicts(effects []effect, ledger *ledger) []string {
	var all []string
	for _, e := range effects {
		if e.Folder {
			continue
		}
		var info unix.Stat_t
		here := unix.Lstat(e.Path, &info) == nil
		if !e.same && (ledger.paths[e.Path] > v.number || here && newer(info.Ctim, v.since)) {
			all = append(all, e.name())
		}
	}
	return all
}

func newer(a, b unix.Timespec) bool {
	return a.Sec > b.Sec || a.Sec == b.Sec && a.Nsec > b.Nsec
}

// keep moves the by-products into the layer of the space.
func (v *View) keep(c *collector) (kept int, err error) {
	layer := v.space.layer
	if c.up.Target != v.space.roots[0] {
		layer = filepath.Join(layer, v.space.inside)
	}
	parents := map[string]bool{} // the next command finds those that were closed as they were
	defer func() {
		for _, dir := range slices.Backward(slices.Sorted(maps.Keys(parents))) {
			if mode, closed := c.closed[dir]; closed {
				_ = unix.Chmod(filepath.Join(layer, dir), mode|0o500) // so that it is found again
			}
		}
	}()
	for _, rel := range c.asides {
		from, to := filepath.Join(c.up.Upper, rel), filepath.Join(layer, rel)
		if err := makeParents(layer, c.up.Upper, rel); err != nil {
			return kept, err
		}
		for dir := filepath.Dir(rel); dir != "."; dir = filepath.Dir(dir) {
			parents[dir] = true
			openToOwner(filepath.Join(layer, dir))
		}
		var info, lower unix.Stat_t
		if unix.Lstat(from, &info) == nil && whiteout(info) && unix.Lstat(filepath.Join(c.up.Target, rel), &lower) != nil {
			if err := removeAll(to); err != nil { // there is no file for the whiteout to hide
				return kept, err
			}
			continue
		}
		if err := errors.Join(absorb(from, to), disarm(layer, rel)); err != nil {
			return kept, fmt.Errorf("by-products: %w", err)
		}
		kept++
	}
	return kept, nil
}

// absorbCaches moves the command's changes to caches into their layers.
func (v *View) absorbCaches() {
	v.space.run.caching.Lock()
	defer v.space.run.caching.Unlock()
	for _, o := range v.caches {
		_ = absorb(o.Upper, o.Lower[0]) // a cache that lacks something is a slow one
	}
}

// covers reports whether a path is one of others, or in one.
func covers(others map[string]bool, path string) bool {
	for ; path != ""; path = path[:max(0, strings.LastIndexByte(path, filepath.Separator))] {
		if others[path] {
			return true
		}
	}
	return false
}

// hidesPath reports whether a path of the workspace is hidden; for the workspace itself,
// whether anything in it is.
func (v *View) hidesPath(path string) bool {
	if path == v.space.o.Root {
		return len(v.hidden) > 0
	}
	return covers(v.hidden, path)
}

// brought returns something hidden that the command has written beside git: it may have come
// out of the repository, and another program may have read it.
func (v *View) brought() (c Change, found bool) {
	hidden := v.space.hidden()
	if hidden == nil || !v.call.Git || !v.call.Beside {
		return c, false
	}
	for _, up := range v.uppers {
		folders := map[string]bool{} // that are hidden
		_ = filepath.WalkDir(up.Upper, func(path string, entry fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(up.Upper, path)
			if err != nil || rel == "." {
				return nil
			}
			switch at := v.change(up.Target, rel, Create); {
			case found:
				return fs.SkipAll
			case at.git != nil && entry.IsDir():
				return fs.SkipDir
			case entry.IsDir():
				openToOwner(path) // or what is in it would not be found
				folders[path] = hidden(at.Path, true)
			case at.git == nil && entry.Type().IsRegular() && (hidden(at.Path, false) || covers(folders, path)):
				if info, err := entry.Info(); err == nil && info.Size() > 0 {
					c, found = at, true
				}
			}
			return nil
		})
	}
	return c, found
}
