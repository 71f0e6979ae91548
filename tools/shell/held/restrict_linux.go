package held

import (
	"slices"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/internal/restrict"
)

// restrict keeps this thread, and the command that it starts, from what mounts can't keep
// it from: abstract sockets, through which a bus might start programs; signals to processes
// outside; and named pipes, which can be written even on read-only mounts. An old kernel,
// or one without Landlock, can do less.
func (p *plan) restrict() {
	newest, err := restrict.LandlockVersion()
	if err != nil {
		return
	}
	var rules unix.LandlockRulesetAttr
	if newest >= 2 { // version 1 forbids moving files to another folder
		rules.Handled_access_fs = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REFER
	}
	if newest >= 6 {
		rules.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	if restrict.Files(rules, p.writable()) != nil {
		rules.Handled_access_fs = 0
		_ = restrict.Files(rules, nil)
	}
	if hidden := p.covered(); len(hidden) > 0 {
		_ = restrict.Reading(newest, hidden, p.covers...)
	}
}

// covered returns the paths that are hidden by a mount, which goes away when their program
// replaces the file. In a folder that the command changes, that can't happen.
func (p *plan) covered() []string {
	own := slices.Concat(p.Private, p.targets(), p.Direct)
	return slices.DeleteFunc(slices.Clone(p.Hidden), func(path string) bool { return paths.AnyHolds(own, path) })
}

// writable returns the folders in which the command can write.
func (p *plan) writable() []string {
	return slices.Concat([]string{"/dev", "/proc"}, p.Private, p.targets(), p.Direct)
}
