package known

import (
	"slices"
	"strings"
)

// IsGitFolder reports whether a name is that of git's folder in a working tree, also in the short form
// of DOS. Case does not matter, because it does not in some file systems.
func IsGitFolder(name string) bool {
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// ConfiguresGit reports whether git is configured by what has a name in its folder: it names programs
// that git runs, or where other parts of the repository are. Case does not matter.
func ConfiguresGit(name string) bool {
	return slices.Contains([]string{"config", "config.worktree", "commondir", "gitdir", "hooks"}, strings.ToLower(name))
}
