package held

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// secretFiles and secretFolders are the files and folders of a home folder in which
// programs keep passwords and keys.
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

// Secrets returns the real paths of existing files and folders of a home folder in which
// programs keep passwords and keys, without those in the workspace and those to reveal.
func Secrets(home, workspace string, reveal []string) (all []string) {
	if home == "" {
		return nil
	}
	keys, _ := filepath.Glob(filepath.Join(home, ".ssh", "*"))
	keys = slices.DeleteFunc(keys, func(key string) bool {
		name := filepath.Base(key)
		return strings.HasSuffix(name, ".pub") || name == "config" || name == "known_hosts" || strings.HasPrefix(name, "known_hosts.")
	})
	for _, name := range slices.Concat(secretFolders(), secretFiles()) {
		keys = append(keys, filepath.Join(home, name))
	}
	for _, path := range keys {
		if _, err := os.Lstat(path); err != nil {
			continue // most do not exist, and EvalSymlinks takes longer to find out
		}
		real, err := filepath.EvalSymlinks(path)
		if err == nil && !folder.Holds(workspace, real) && !folder.AnyHolds(reveal, path) {
			all = append(all, real)
		}
	}
	return all
}
