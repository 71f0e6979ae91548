package held

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Secrets returns the real paths of existing files and folders of a home folder in which
// programs keep passwords and keys, without those in the workspace and those to reveal.
func Secrets(home, workspace string, reveal []string) (all []string) {
	if home == "" {
		return nil
	}
	keys, _ := filepath.Glob(filepath.Join(home, ".ssh", "*"))
	keys = slices.DeleteFunc(keys, func(key string) bool { return known.IsPublicKey(filepath.Base(key)) })
	for _, name := range known.HomeSecrets() {
		keys = append(keys, filepath.Join(home, name))
	}
	for _, path := range keys {
		if _, err := os.Lstat(path); err != nil {
			continue // most do not exist, and EvalSymlinks takes longer to find out
		}
		real, err := filepath.EvalSymlinks(path)
		if err == nil && !paths.Holds(workspace, real) && !paths.AnyHolds(reveal, path) {
			all = append(all, real)
		}
	}
	return all
}
