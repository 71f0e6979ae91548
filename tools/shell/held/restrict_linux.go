package held

import (
	"slices"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/internal/restrict"
)

// restrict keeps this thread, and the command that it starts, from what mounts don't
// keep it from: sockets without a file, at which a bus would start programs for it,
// signals to what is outside, and pipes in the file system, which are written to on
// read-only mounts, too. An old kernel, or one without Landlock, can do less.
func (p *plan) restrict() {
	newest, err := restrict.LandlockVersion()
	if err != nil {
		return
	}
	var rules unix.LandlockRulesetAttr
	if newest >= 2 { // the first one lets nothing be moved to another folder
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

// covered are the paths that are hidden by what is mounted there, which is gone when
// their program writes them anew. In a folder that the command changes, the kernel does
// not see that.
func (p *plan) covered() []string {
	own := slices.Concat(p.Private, p.targets())
	return slices.DeleteFunc(slices.Concat(p.Empty, p.Sockets, p.Closed), func(path string) bool {
		return slices.ContainsFunc(own, func(o string) bool { return folder.Holds(o, path) })
	})
}

// writable are the folders in which the command changes something, of its own or of
// an overlay.
func (p *plan) writable() []string {
	return slices.Concat([]string{"/dev", "/proc"}, p.Private, p.targets())
}
