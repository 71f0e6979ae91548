package held

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// private are the folders that each command has for itself. Sockets of other
// programs are in them.
func (r *Run) private() []string {
	all := []string{"/tmp", "/var/tmp", "/run"}
	if value, _ := r.o.Lookup("XDG_RUNTIME_DIR"); filepath.IsAbs(value) {
		all = append(all, filepath.Clean(value))
	}
	return folder.Outermost(all)
}

// shown are the folders that the environment of a command names, where they
// are in a private folder, and how it finds names of hosts.
func (s *Space) shown(private []string) []string {
	r := s.run
	path, _ := r.o.Lookup("PATH")
	wanted := append(filepath.SplitList(path), r.o.Home)
	if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
		wanted = append(wanted, real)
	}
	wanted = append(wanted, s.o.Reveal...)
	var all []string
	for _, path := range wanted {
		inside := slices.ContainsFunc(private, func(p string) bool { return folder.Holds(p, path) && path != p })
		if inside && filepath.IsAbs(path) {
			all = append(all, filepath.Clean(path))
		}
	}
	return all
}

// secrets are those of the home folder, as [Secrets] has them.
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

// revealed reports whether a path is to be seen, alone or with the folder around it.
func (s *Space) revealed(path string) bool {
	return slices.ContainsFunc(s.o.Reveal, func(shown string) bool { return folder.Holds(shown, path) })
}
