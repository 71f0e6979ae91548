package held

import (
	"errors"
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
		there, above := filepath.Join(e.root, dir), filepath.Join(upper, dir)
		switch strings.ToLower(filepath.Base(rel)) {
		case "objects", "refs":
			if isRepository(there) { // it may go on as the repository that it was
				continue
			}
		case "head", "config", "config.worktree", "commondir", "hooks":
		default:
			continue
		}
		if isRepository(there, above) {
			return "it would make its folder a repository of git"
		}
	}
	return ""
}

// disarm takes from what is set aside all that would have git run a program: nobody
// judges what is there, and the next command may call git in it. Repositories that
// are by-products, such as modules that a program has fetched, stay without it.
func disarm(layer, rel string) error {
	for dir := filepath.Dir(rel); dir != "."; dir = filepath.Dir(dir) { // it may have been completed
		if err := disarmFolder(filepath.Join(layer, dir)); err != nil {
			return err
		}
	}
	return filepath.WalkDir(filepath.Join(layer, rel), func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_ = os.Chmod(path, 0o700) // so that it can be looked into
			return disarmFolder(path)
		}
		if strings.EqualFold(entry.Name(), ".git") {
			return os.Remove(path) // it leads to one elsewhere
		}
		return nil
	})
}

// disarmFolder takes it from one folder, where that is a repository.
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
