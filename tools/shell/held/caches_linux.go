package held

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// cacheFolders returns the real paths of the caches that are there. It creates those that an
// installed program would create.
func (o Options) cacheFolders() (all []string) {
	for _, c := range known.Caches() {
		path := c.Path(o.Home, o.Lookup)
		if _, err := os.Stat(path); path != "" && errors.Is(err, os.ErrNotExist) {
			if _, err := exec.LookPath(c.Program); err == nil {
				_ = os.MkdirAll(path, 0o755)
			}
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(real) && unix.Access(real, unix.R_OK|unix.X_OK) == nil {
			all = append(all, real)
		}
	}
	return paths.Outermost(all)
}

// newCaches returns the overlays of caches, with a layer for what commands change there, which
// lasts for the run. Those in the home folder share one, as an overlay costs more than anything
// else that a command gets; but not if the store is in there too: an overlay can't have its upper
// folder in the folder below it.
func newCaches(s *store, home string, folders []string) (all []overlay, err error) {
	home, err = filepath.EvalSymlinks(home)
	shares := err == nil && filepath.IsAbs(home) && !paths.Holds(home, s.path)
	shared := overlay{Target: home}
	for _, path := range folders {
		if rel, err := filepath.Rel(home, path); shares && err == nil && rel != "." && filepath.IsLocal(rel) && mountOf(path) == mountOf(home) {
			shared.Parts = append(shared.Parts, rel)
		} else {
			all = append(all, overlay{Target: path})
		}
	}
	if shared.Parts != nil {
		all = append(all, shared)
	}
	for i, o := range all {
		layer := filepath.Join(s.path, fmt.Sprintf("cache-%d", i))
		if err := mkdirLike(layer, o.Target); err != nil {
			return nil, err
		}
		all[i].Lower = []string{layer, o.Target}
	}
	return all, nil
}

// absorb moves one path of an upper folder into a layer.
func absorb(from, to string) error {
	var info, old unix.Stat_t
	if err := unix.Lstat(from, &info); err != nil {
		return err
	}
	names, err := attributes(from)
	if err != nil {
		return err
	}
	openToOwner(from)
	isFolder := info.Mode&unix.S_IFMT == unix.S_IFDIR && !slices.Contains(names, opaqueName)
	switch err := unix.Lstat(to, &old); {
	case err != nil && !gone(err):
		return err
	case err == nil && isFolder && old.Mode&unix.S_IFMT == unix.S_IFDIR:
		entries, err := os.ReadDir(from)
		errs := []error{err}
		for _, entry := range entries {
			errs = append(errs, absorb(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())))
		}
		return errors.Join(errs...)
	}
	return errors.Join(removeAll(to), os.Rename(from, to))
}
