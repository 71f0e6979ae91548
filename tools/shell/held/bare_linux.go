package held

import (
	"os"
	"path/filepath"
	"strings"
)

// bareRepository says why a path can't land that makes a folder above it one that
// git takes for a repository, or that has a repository run something else: its
// configuration and its hooks name programs.
func (v *View) bareRepository(e effect) string {
	if e.Kind == Delete || e.From == "" {
		return ""
	}
	upper := strings.TrimSuffix(e.From, e.Rel)
	for rel := e.Rel; rel != "."; rel = filepath.Dir(rel) {
		dir := filepath.Dir(rel)
		place, above := filepath.Join(e.root, dir), filepath.Join(upper, dir)
		switch strings.ToLower(filepath.Base(rel)) {
		case "objects", "refs":
			if isRepository(place) { // it may go on as the repository that it was
				continue
			}
		case "head", "config", "config.worktree", "commondir", "hooks":
		default:
			continue
		}
		if isRepository(place, above) {
			return "it would make its folder a repository of git"
		}
	}
	return ""
}

// isRepository reports whether git may take folders, put above each other, for a
// repository. Its objects and references can be elsewhere, where commondir says.
func isRepository(layers ...string) bool {
	has := func(name string) bool {
		for _, layer := range layers {
			if _, err := os.Lstat(filepath.Join(layer, name)); err == nil {
				return true
			}
		}
		return false
	}
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}
