package held

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
)

// bareRepository returns why a path can't land, or "": it would make a folder above it a
// repository to git, or change the configuration or the hooks of one, which name programs.
func (v *View) bareRepository(e effect) string {
	if e.Kind == Delete || e.From == "" {
		return ""
	}
	upper := strings.TrimSuffix(e.From, e.Rel)
	for rel := e.Rel; rel != "."; rel = filepath.Dir(rel) {
		dir := filepath.Dir(rel)
		there, above := filepath.Join(e.Root, dir), filepath.Join(upper, dir)
		name := strings.ToLower(filepath.Base(rel))
		isPart := (name == "objects" || name == "refs") && !isRepository(there) // else it is one already
		if (isPart || name == "head" || known.ConfiguresGit(name)) && isRepository(there, above) {
			return "it would make its folder a repository of git"
		}
	}
	return ""
}

// disarm removes from by-products all that would have git run a program: nobody judges
// them, and the next command may call git there. Repositories among them, such as modules
// that a program has fetched, stay without it.
func disarm(layer, rel string) error {
	for dir := filepath.Dir(rel); dir != "."; dir = filepath.Dir(dir) { // rel may have completed a repository
		if err := disarmFolder(filepath.Join(layer, dir)); err != nil {
			return err
		}
	}
	return filepath.WalkDir(filepath.Join(layer, rel), func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_ = os.Chmod(path, 0o700) // to be able to list it
			return disarmFolder(path)
		}
		if strings.EqualFold(entry.Name(), ".git") {
			return os.Remove(path) // it points to a repository elsewhere
		}
		return nil
	})
}

// disarmFolder is disarm for one folder, if that is a repository.
func disarmFolder(path string) error {
	if !strings.EqualFold(filepath.Base(path), ".git") && !isRepository(path) {
		return nil
	}
	var errs []error
	for _, name := range []string{"config", "config.worktree", "commondir", "hooks"} {
		errs = append(errs, removeAll(filepath.Join(path, name)))
	}
	return errors.Join(errs...)
}

// isRepository reports whether git may take layers of one folder for a repository. Its
// objects and references may be elsewhere, where commondir says.
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
