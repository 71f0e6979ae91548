package place

import (
	"os"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// HoldsBareRepository reports whether git may find a bare repository on its way
// from a directory up to the workspace root. In the root .git comes first.
func (t Roots) HoldsBareRepository(dir string) bool {
	for ; dir != t.Workspace; dir = filepath.Dir(dir) {
		if isBareRepository(dir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
	_, err := os.Lstat(Join(dir, ".git"))
	return err != nil && isBareRepository(dir)
}

func isBareRepository(dir string) bool { return IsBareWith(dir, "") }

// IsBareWith reports whether a directory is a bare repository once it has one more
// name in it, which is folded.
func IsBareWith(dir, more string) bool {
	has := func(name string) bool {
		_, err := os.Lstat(Join(dir, name))
		return err == nil || pattern.Fold(name) == more
	}
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}
