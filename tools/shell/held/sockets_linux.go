package held

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// sockets are those in files that programs of this network listen at. Those in
// folders that are private or overlays are not there for a command anyway.
func (s *Space) sockets(p plan) []string {
	covered := slices.Concat(p.Private, p.Closed, p.Empty, p.targets(), []string{"/dev", "/var/run", "/proc", "/sys"})
	var all []string
	for _, path := range listening() {
		around := func(f string) bool { return folder.Holds(f, path) }
		if s.revealed(path) || slices.ContainsFunc(covered, around) && !slices.ContainsFunc(p.Shown, around) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if info, statErr := os.Lstat(real); err == nil && statErr == nil && info.Mode()&os.ModeSocket != 0 {
			all = append(all, real)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// listening are the paths that sockets may have. One that is not absolute may be in
// the folder of any program.
func listening() []string {
	f, err := os.Open("/proc/net/unix")
	if err != nil {
		return nil
	}
	defer f.Close()
	all, relative := socketNames(f)
	if len(relative) == 0 {
		return all // which saves a look at every process
	}
	for _, process := range processes() {
		folder, err := os.Readlink(filepath.Join(process, "cwd"))
		if err != nil {
			continue // it has ended, or is somebody else's
		}
		for _, name := range relative {
			all = append(all, filepath.Join(folder, name))
		}
	}
	return all
}

// socketNames reads the system's table of sockets, which has a head. Their paths are as
// programs gave them; a socket without one, or with an abstract name, is in no file.
func socketNames(table io.Reader) (absolute, relative []string) {
	lines := bufio.NewScanner(table)
	for lines.Scan(); lines.Scan(); {
		fields := strings.SplitN(lines.Text(), " ", 7) // the last is a number, which is padded, and the path
		if len(fields) < 7 {
			continue
		}
		switch _, name, _ := strings.Cut(strings.TrimLeft(fields[6], " "), " "); {
		case name == "" || name[0] == '@':
		case name[0] == '/':
			absolute = append(absolute, filepath.Clean(name))
		default:
			relative = append(relative, name)
		}
	}
	return absolute, relative
}

// processes are the folders of those that there are. A pattern for a file in them
// would have the system list all that is in each.
func processes() []string {
	all, _ := filepath.Glob("/proc/[0-9]*")
	return all
}
