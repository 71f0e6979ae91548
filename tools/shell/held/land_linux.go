package held

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Land judges what the command has changed, and moves it into the workspace: all of
// it, or nothing where something is denied; with partial what is allowed. It is
// called when the command has ended.
func (v *View) Land(judge Judge, partial bool) (Outcome, error) {
	ledger := landings.of(v.space.o.Root)
	ledger.mu.Lock()
	defer ledger.mu.Unlock()
	if root, err := os.Open(v.space.o.Root); err == nil {
		defer root.Close()
		_ = unix.Flock(int(root.Fd()), unix.LOCK_EX) // other programs that land here
	}
	defer v.absorbCaches()
	all, collectors, err := v.collect(judge)
	if err != nil {
		return Outcome{}, fmt.Errorf("what the command changed: %w", err)
	}
	v.noteMoved(all, collectors)
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
	ledger.landed(effects)
	out.Landed = len(effects)
	if slices.ContainsFunc(effects, func(e effect) bool { return e.Do == replace }) {
		v.space.mask.note(effects)
	}
	kept, err := v.keep(collectors[0])
	out.Kept = kept
	return out, err
}

// collect finds all that was changed, below every root.
func (v *View) collect(judge Judge) ([]effect, []*collector, error) {
	var all []effect
	var collectors []*collector
	for i, up := range v.uppers {
		c := &collector{up: up}
		c.beside = i > 0
		if i == 0 && v.space.o.Ignored != nil {
			ignored := v.space.o.Ignored()
			c.aside = func(change Change) bool {
				if gitSegment(change.Rel) >= 0 || !ignored(change.Rel, change.Folder) {
					return false
				}
				allowed, _ := judge(change)
				return !allowed && !(change.Folder && v.allowsBelow(judge, change))
			}
		}
		if err := c.collect("", true, false); err != nil {
			return nil, nil, err
		}
		all = append(all, c.effects...)
		collectors = append(collectors, c)
	}
	return all, collectors, nil
}

// allowsBelow reports whether a file in the folder would be allowed, of any name.
func (v *View) allowsBelow(judge Judge, c Change) bool {
	c.Path, c.Rel, c.Folder = filepath.Join(c.Path, "any name"), filepath.Join(c.Rel, "any name"), false
	allowed, _ := judge(c)
	return allowed
}

// decide tells what may land from what is denied. A folder that is made or removed
// is as its contents are; an empty one needs a rule for itself, or for what would be
// in it. A file whose content is as it was is no denial.
func (v *View) decide(all []effect, judge Judge) (Outcome, []effect) {
	var out Outcome
	allowed := make([]bool, len(all))
	decided := make([]bool, len(all)) // folders with something in them
	for i, e := range all {
		if e.Folder && e.Do != setMode {
			continue
		}
		why := v.denial(e, judge)
		switch {
		case why == "":
			allowed[i] = true
		case !e.same:
			out.Denied = append(out.Denied, Denial{e.Change, why})
		}
	}
	folders := map[string]int{}
	for i, e := range all {
		if e.Folder && e.Do != setMode {
			folders[e.Path+"\x00"+string(e.Do)] = i
		}
	}
	// The contents come after a folder that is made, and before one that is removed.
	settle := func(i int) {
		e := all[i]
		if !decided[i] {
			why := v.denial(e, judge)
			allowed[i] = why == ""
			if why != "" {
				out.Denied = append(out.Denied, Denial{e.Change, why})
			}
		}
	}
	mark := func(i int) {
		e := all[i]
		at := filepath.Dir(e.Path)
		do := makeFolder
		if e.Kind == Delete {
			do = removeFolder
		}
		if parent, ok := folders[at+"\x00"+string(do)]; ok {
			if !decided[parent] {
				decided[parent] = true
				allowed[parent] = do == removeFolder
			}
			if do == makeFolder {
				allowed[parent] = allowed[parent] || allowed[i]
			} else {
				allowed[parent] = allowed[parent] && allowed[i]
			}
		}
	}
	// Folders that are made come before what is in them: backwards, each is settled
	// after its contents. Removed ones come after: forwards.
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Kind != Delete {
			if all[i].Do == makeFolder {
				settle(i)
			}
			mark(i)
		}
	}
	for i := range all {
		if all[i].Kind == Delete {
			if all[i].Do == removeFolder {
				settle(i)
			}
			mark(i)
		}
	}
	var effects []effect
	for i, e := range all {
		if allowed[i] {
			effects = append(effects, e)
		}
	}
	return out, effects
}

// denial says why a change can't land, or "".
func (v *View) denial(e effect, judge Judge) string {
	if e.never != "" {
		return e.never
	}
	if why := e.Change.never(v.call.Git, v.space.o.Protected); why != "" {
		return why
	}
	if why := v.unseen(e); why != "" {
		return why
	}
	if e.Link != "" {
		folders, files := v.space.secrets()
		if why := e.badLink(slices.Concat(folders, files, v.hiddenPaths())); why != "" {
			return why
		}
	}
	if gitSegment(e.Rel) >= 0 {
		return "" // git's own, by a command of git
	}
	if bare := v.bareRepository(e); bare != "" {
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

// conflicts lists the paths that somebody else has changed since the command began.
func (v *View) conflicts(effects []effect, ledger *ledger) []string {
	var all []string
	for _, e := range effects {
		if e.Folder {
			continue
		}
		var info unix.Stat_t
		here := unix.Lstat(e.Path, &info) == nil
		if !e.same && (ledger.after(e.Path, v.number) || here && newer(info.Ctim, v.since)) {
			all = append(all, e.name())
		}
	}
	return all
}

func newer(a, b unix.Timespec) bool {
	return a.Sec > b.Sec || a.Sec == b.Sec && a.Nsec > b.Nsec
}

// carryOut lands effects. When this program is killed meanwhile, the next one
// finishes what it has begun.
func (v *View) carryOut(effects []effect) error {
	if len(effects) == 0 {
		return nil
	}
	l := landing{Temporary: ".flow-" + filepath.Base(v.path)}
	for _, e := range order(effects) {
		l.Steps = append(l.Steps, step{Do: e.Do, Root: e.root, Rel: e.Rel, From: e.From, Mode: e.Mode})
	}
	path := filepath.Join(v.path, planFile)
	if len(l.Steps) > 1 {
		if err := l.write(path); err != nil {
			return fmt.Errorf("landing: %w", err)
		}
		defer os.Remove(path)
	}
	return l.run(nil)
}

// order puts effects into one in which a reader never finds a broken state: folders
// before what is in them, what is removed at last unless something takes its place,
// and of git's own files objects before what refers to them.
func order(effects []effect) []effect {
	taken := map[string]bool{}
	for _, e := range effects {
		if e.Do == replace || e.Do == makeFolder {
			taken[e.Path] = true
		}
	}
	inTheWay := func(e effect) bool {
		return taken[e.Path] || slices.ContainsFunc(parents(e.Rel), func(rel string) bool { return taken[filepath.Join(e.root, rel)] })
	}
	rank := func(e effect) int {
		switch {
		case e.Kind == Delete && len(taken) > 0 && inTheWay(e):
			return 0
		case e.Do == makeFolder:
			return 1
		case e.Kind == Delete:
			return 10
		case gitSegment(e.Rel) < 0:
			return 2
		}
		switch own := strings.Split(e.Rel, "/")[gitSegment(e.Rel)+1:]; {
		case own[0] == "objects" && strings.HasSuffix(e.Rel, ".idx"):
			return 4 // after the pack that it is the index of
		case own[0] == "objects":
			return 3
		case own[0] == "logs":
			return 5
		case own[0] == "refs" || own[0] == "packed-refs":
			return 6
		case own[0] == "index":
			return 8
		}
		return 7
	}
	ranks := make(map[string]int, len(effects))
	for _, e := range effects {
		ranks[e.Path+string(e.Do)] = rank(e)
	}
	sorted := slices.Clone(effects)
	slices.SortStableFunc(sorted, func(a, b effect) int { return ranks[a.Path+string(a.Do)] - ranks[b.Path+string(b.Do)] })
	return sorted
}

// parents are the folders that a path is in.
func parents(rel string) []string {
	var all []string
	for dir := filepath.Dir(rel); dir != "." && dir != "/"; dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	return all
}

// keep moves what was set aside into the layer of the space.
func (v *View) keep(c *collector) (kept int, err error) {
	v.space.mu.Lock()
	defer v.space.mu.Unlock()
	if v.call.DropAside {
		return 0, nil
	}
	for _, rel := range c.asides {
		from, to := filepath.Join(c.up.path, rel), filepath.Join(c.up.layer, rel)
		var info, place unix.Stat_t
		if unix.Lstat(from, &info) == nil && whiteout(info) && unix.Lstat(filepath.Join(c.up.root, rel), &place) != nil {
			if err := removeAll(to); err != nil { // there is nothing below that it would hide
				return kept, err
			}
			continue
		}
		if err := makeParents(c.up.layer, c.up.path, rel); err != nil {
			return kept, err
		}
		if err := absorb(from, to); err != nil {
			return kept, fmt.Errorf("by-products: %w", err)
		}
		kept++
	}
	return kept, nil
}

// absorbCaches moves what the command has put into caches to the layers of the run.
func (v *View) absorbCaches() {
	if v.call.DropAside {
		return
	}
	for _, up := range v.caches {
		up.mu.Lock()
		_ = absorb(up.path, up.layer) // a cache that lacks something is a slow one
		up.mu.Unlock()
	}
}

// absorb moves one path of an upper folder into a layer of the same kind.
func absorb(from, to string) error {
	var info, old unix.Stat_t
	if err := unix.Lstat(from, &info); err != nil {
		return err
	}
	err := unix.Lstat(to, &old)
	if gone(err) {
		return move(from, to)
	}
	if err != nil {
		return err
	}
	isFolder := func(i unix.Stat_t) bool { return i.Mode&unix.S_IFMT == unix.S_IFDIR }
	names, err := attributes(from)
	if err != nil {
		return err
	}
	if !isFolder(info) && !isFolder(old) {
		return move(from, to)
	}
	if !isFolder(info) || !isFolder(old) || slices.Contains(names, opaqueName) {
		if err := removeAll(to); err != nil {
			return err
		}
		return move(from, to)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := absorb(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// move renames a path, or copies it where that leads to another file system.
func move(from, to string) error {
	err := os.Rename(from, to)
	if !errors.Is(err, unix.EXDEV) {
		return err
	}
	return copyTree(from, to)
}
