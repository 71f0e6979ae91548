package held

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// sockets returns the sockets with files at which programs listen. It leaves out those in
// private or overlaid folders, where the command does not see them anyway.
func (s *Space) sockets(p plan) []string {
	covered := slices.Concat(p.Private, p.Hidden, p.targets(), []string{"/dev", "/var/run", "/proc", "/sys"})
	var all []string
	for _, path := range listening() {
		if s.revealed(path) || paths.AnyHolds(covered, path) && !paths.AnyHolds(p.Shown, path) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if info, statErr := os.Lstat(real); err == nil && statErr == nil && info.Mode()&os.ModeSocket != 0 {
			all = append(all, real)
		}
	}
	return all
}

// listening returns the paths that sockets may have. A relative path may start in the
// working directory of any process.
func listening() []string {
	f, err := os.Open("/proc/net/unix")
	if err != nil {
		return nil
	}
	defer f.Close()
	all, relative := socketNames(f)
	if len(relative) == 0 {
		return all // without looking at every process
	}
	processes, _ := filepath.Glob("/proc/[0-9]*") // to glob for a file in them would list each folder
	for _, process := range processes {
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

// socketNames reads the table of sockets in /proc/net/unix, which has a header. The names
// are as programs gave them. A socket without a name, or with an abstract one, has no file.
func socketNames(table io.Reader) (absolute, relative []string) {
	lines := bufio.NewScanner(table)
	for lines.Scan(); lines.Scan(); {
		fields := strings.SplitN(lines.Text(), " ", 7) // the last field is a padded number, and then the name
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
