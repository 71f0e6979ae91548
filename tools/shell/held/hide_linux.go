package held

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// secretFiles and secretFolders are those of a home folder that programs keep
// passwords and keys in.
func secretFiles() []string {
	return []string{
		".aws/credentials", ".kube/config", ".docker/config.json", ".pgpass", ".my.cnf", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
		".vault-token", ".terraformrc", ".m2/settings.xml", ".yarnrc.yml", ".cargo/credentials", ".cargo/credentials.toml",
		".config/gh/hosts.yml", ".config/glab-cli/config.yml", ".config/hub", ".gem/credentials", ".bundle/config", ".htpasswd",
		".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history",
	}
}

func secretFolders() []string {
	return []string{
		".gnupg", ".password-store", ".aws/sso", ".aws/cli", ".config/gh", ".config/gcloud", ".config/op", ".azure", ".terraform.d",
		".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".thunderbird", ".claude", ".codex",
	}
}

// secrets are what of the home folder is hidden: folders and files that exist, as
// their real paths. What is in the workspace is not named.
func (s *Space) secrets() (folders, files []string) {
	r, root := s.run, s.o.Root
	if r.o.Home == "" {
		return nil, nil
	}
	add := func(list *[]string, name string) {
		path := filepath.Join(r.o.Home, name)
		if _, err := os.Lstat(path); err != nil || s.revealed(path) {
			return // mostly: to follow each of them takes longer
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || folder.Holds(root, real) {
			return
		}
		if info, err := os.Stat(real); err == nil && info.IsDir() == (list == &folders) {
			*list = append(*list, real)
		}
	}
	for _, name := range secretFolders() {
		add(&folders, name)
	}
	for _, name := range secretFiles() {
		add(&files, name)
	}
	keys, _ := filepath.Glob(filepath.Join(r.o.Home, ".ssh", "*"))
	for _, key := range keys {
		switch name := filepath.Base(key); {
		case strings.HasSuffix(name, ".pub"), name == "known_hosts", name == "config", strings.HasPrefix(name, "known_hosts."):
		default:
			add(&files, ".ssh/"+name)
		}
	}
	return folders, files
}

// revealed reports whether a path is to be seen, alone or with the folder around it.
func (s *Space) revealed(path string) bool {
	return slices.ContainsFunc(s.o.Reveal, func(shown string) bool { return folder.Holds(shown, path) })
}
