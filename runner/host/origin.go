package host

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// recipeFile is the workflow of a folder that is named instead of a file.
const recipeFile = "flow.yaml"

// lockFile is the lock of the workflow beside it.
const lockFile = "flow.lock"

// origins know the trust root of each file of a workflow: its repository, its fetched recipe, or its
// folder. The files below one trust root have one author; those below another one come from elsewhere.
type origins struct {
	top        string
	fetchedTop bool // also that one comes from elsewhere

	find       func(from, reference string) (Recipe, bool, error) // nil: there are no references
	env        Environment
	trustRoots map[string]string // of the files that were found, by their paths as loaded
	roots      map[string]bool   // the trust roots that are recipes
	named      []namedRecipe
}

// A namedRecipe is a recipe with the reference that names its workflow.
type namedRecipe struct {
	Recipe
	reference string
}

// A Recipe is the target of a reference.
type Recipe struct {
	File string // the workflow
	Root string // the folder of the recipe, absolute, which its own paths do not leave
}

// newOrigins knows the trust root of the first file. For a fetched recipe it is the folder of the file,
// which the file's paths do not leave.
func newOrigins(top string, o LoadOptions) *origins {
	env := o.Environment
	found := &origins{top: filepath.Clean(top), fetchedTop: env.fetched(top) != "", env: env, trustRoots: map[string]string{}, roots: map[string]bool{}}
	if o.Recipe != "" && found.fetchedTop {
		found.named = append(found.named, namedRecipe{Recipe{top, env.fetched(top)}, o.Recipe})
	}
	found.record(top, found.findTrustRoot(top))
	if find := env.Recipe; find != nil {
		found.find = func(from, reference string) (Recipe, bool, error) { return find(top, from, reference) }
	}
	if found.fetchedTop {
		root := filepath.Dir(realPath(top))
		found.trustRoots[found.top], found.roots[root] = root, true
	}
	return found
}

// Find is [workflows.Options].Find.
func (o *origins) Find(from, name string) (file string, ok bool, err error) {
	if o.find != nil {
		recipe, ok, err := o.find(from, name)
		if err != nil {
			return "", false, err
		}
		if ok {
			root := realPath(recipe.Root)
			o.roots[root] = true
			o.named = append(o.named, namedRecipe{recipe, name})
			o.record(recipe.File, root)
			return recipe.File, true, nil
		}
	}
	file = paths.In(filepath.Dir(from), filepath.FromSlash(name))
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file, ok = filepath.Join(file, recipeFile), true
	}
	switch root := o.trustRoot(from); {
	case !o.elsewhere(from, file):
		o.record(file, root)
	case o.roots[root]:
		return "", false, fmt.Errorf("%s leads out of the recipe's folder", name)
	default:
		o.record(file, o.findTrustRoot(file))
	}
	return file, ok, nil
}

// NameOf is [workflows.Options].NameOf: the reference of a recipe stands for its workflow, with a
// path behind it for another file of its folder. Any other file has its path.
func (o *origins) NameOf(path string) string {
	for _, r := range o.named {
		if path == r.File {
			return r.reference
		}
		if within, is := strings.CutPrefix(path, r.Root+string(filepath.Separator)); is {
			return r.reference + "/" + filepath.ToSlash(within)
		}
	}
	return path
}

// record keeps the trust root of a file at its first use.
func (o *origins) record(file, root string) {
	if file = filepath.Clean(file); o.trustRoots[file] == "" {
		o.trustRoots[file] = root
	}
}

// trustRoot returns the trust root of a file that was found.
func (o *origins) trustRoot(file string) string { return o.trustRoots[filepath.Clean(file)] }

// elsewhere reports whether a file, its symlinks resolved, comes from elsewhere than the one that
// names it.
func (o *origins) elsewhere(from, file string) bool {
	if known := o.trustRoot(file); known != "" && known != o.trustRoot(from) {
		return true
	}
	root, inner := o.trustRoot(from), o.boundaryOf(file)
	return !paths.Holds(root, realPath(file)) || inner != root && inner != "" && paths.Holds(root, inner)
}

// Reaches is [workflows.Options].Reaches.
func (o *origins) Reaches(from, path string) error {
	if filepath.Clean(from) == o.top && !o.fetchedTop || !o.elsewhere(from, path) {
		return nil
	}
	if o.roots[o.trustRoot(from)] {
		return errors.New("it is not in the recipe's folder")
	}
	return fmt.Errorf("it is not in %s: a workflow called with uses can name only files in its own folder", o.trustRoot(from))
}

// comesFromElsewhere reports whether the workflow of a step does.
func (o *origins) comesFromElsewhere(w *workflows.Workflow, use *workflows.Use) bool {
	return o.elsewhere(w.File, use.Workflow.File)
}

// findTrustRoot returns the repository or the fetched recipe around a file, or else its folder.
func (o *origins) findTrustRoot(file string) string {
	return cmp.Or(o.boundaryOf(file), filepath.Dir(realPath(file)))
}

// boundaryOf is the fetched recipe, or else the repository, around a file; "" if there is none. A
// submodule is a repository of its own.
func (o *origins) boundaryOf(file string) string {
	file = realPath(file)
	return cmp.Or(o.env.fetched(file), paths.Repository(filepath.Dir(file)))
}

// realPath is a path, absolute and without symlinks, as far as it exists.
func realPath(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}
