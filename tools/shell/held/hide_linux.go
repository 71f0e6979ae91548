package held

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// private returns the folders of which each command has its own. Other programs have
// sockets in them.
func (r *Run) private() []string {
	all := []string{"/tmp", "/var/tmp", "/run"}
	if value, _ := r.o.Lookup("XDG_RUNTIME_DIR"); filepath.IsAbs(value) {
		all = append(all, filepath.Clean(value))
	}
	return folder.Outermost(all)
}

// shown returns what a command needs of the private folders: folders that its environment
// names, the configuration with which it looks up hosts, and further paths.
func (s *Space) shown(private []string, further ...string) []string {
	r := s.run
	path, _ := r.o.Lookup("PATH")
	wanted := append(filepath.SplitList(path), r.o.Home)
	if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
		wanted = append(wanted, real)
	}
	wanted = slices.Concat(wanted, s.o.Reveal, further)
	var all []string
	for _, path := range wanted {
		inside := slices.ContainsFunc(private, func(p string) bool { return folder.Holds(p, path) && path != p })
		if inside && filepath.IsAbs(path) {
			all = append(all, filepath.Clean(path))
		}
	}
	return all
}

// secrets returns the [Secrets] of the home folder, by kind.
func (s *Space) secrets() (folders, files []string) {
	for _, path := range Secrets(s.run.o.Home, s.o.Root, s.o.Reveal) {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			folders = append(folders, path)
		} else if err == nil {
			files = append(files, path)
		}
	}
	return folders, files
}
