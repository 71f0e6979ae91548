package relock

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
)

// maxEntries is how many files and folders around a lock are read.
const maxEntries = 20_000

// prune removes unused references from the lock. Several workflows may share it: a reference stays
// if it is in the text of any of them, or of a recipe that stays. If one can't be read, all stay.
func (u *Update) prune() {
	rest := slices.DeleteFunc(slices.Clone(u.now.Recipes), func(locked recipe.Locked) bool {
		return slices.ContainsFunc(u.finder.All(), func(f recipe.Found) bool { return f.Reference.Text == locked.Reference })
	})
	if len(rest) == 0 {
		return
	}
	texts, err := textsBelow(filepath.Dir(u.file))
	if err != nil {
		return
	}
	for i := 0; i < len(texts); i++ { // a recipe that stays adds its own
		for _, locked := range slices.Clone(rest) {
			if !bytes.Contains(texts[i], []byte(locked.Reference)) {
				continue
			}
			_, tree, err := u.cache.Get(locked.Hash)
			if err != nil {
				return
			}
			rest = slices.DeleteFunc(rest, func(r recipe.Locked) bool { return r.Reference == locked.Reference })
			for _, name := range tree.Names() {
				if data, _ := tree.Data(name); isYAML(name) {
					texts = append(texts, data)
				}
			}
		}
	}
	for _, locked := range rest {
		u.now.Remove(locked.Reference)
		u.unused = append(u.unused, locked.Reference)
	}
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// textsBelow reads the YAML files below a folder, without those of flow and git, and without folders
// that have a lock of their own.
func textsBelow(dir string) (texts [][]byte, err error) {
	seen := 0
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if seen++; err != nil || seen > maxEntries {
			return errors.Join(err, errors.New("there are too many files"))
		}
		if entry.IsDir() && path != dir {
			_, noLock := os.Lstat(recipe.LockOf(filepath.Join(path, recipe.File)))
			if strings.HasPrefix(entry.Name(), ".") || entry.Name() == paths.VendorFolder || noLock == nil {
				return fs.SkipDir
			}
		}
		if !entry.Type().IsRegular() || !isYAML(path) {
			return nil
		}
		text, err := os.ReadFile(path)
		texts = append(texts, text)
		return err
	})
	return texts, err
}
