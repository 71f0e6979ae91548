package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// recipes finds what references stand for: by the lock beside the workflow that is
// loaded, in its vendor folder, in the cache, or else where the lock says that it is.
// It is safe for concurrent use.
type recipes struct {
	ctx     context.Context // of the one command that it is for
	offline bool

	// resolve says what a reference that the lock lacks stands for. Nil: that is an error.
	resolve func(ref recipe.Reference) (recipe.Locked, error)

	mu  sync.Mutex
	met []metRecipe // each once, in the order in which they were met
}

// A metRecipe is one that a workflow has named.
type metRecipe struct {
	ref    recipe.Reference
	locked recipe.Locked
	dir    string
	tree   *recipe.Tree
}

// file is its workflow.
func (m metRecipe) file() string { return filepath.Join(m.dir, m.ref.File) }

// recipesDir is the folder of the cache: FLOW_RECIPES, or one of the user's.
func recipesDir() (string, error) {
	if dir := os.Getenv("FLOW_RECIPES"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", errors.Join(errors.New("no folder for recipes: FLOW_RECIPES names one"), err)
	}
	return filepath.Join(dir, "flow", "recipes"), nil
}

// lockOf is the lock beside a workflow.
func lockOf(file string) string { return filepath.Join(filepath.Dir(file), recipe.LockFile) }

// cacheOf is the cache, behind the vendor folder beside a workflow.
func cacheOf(file string) (recipe.Cache, error) {
	dir, err := recipesDir()
	if err != nil {
		return recipe.Cache{}, err
	}
	vendor, err := filepath.Abs(filepath.Join(filepath.Dir(file), recipe.VendorFolder))
	return recipe.Cache{Dir: dir, Vendor: vendor}, err
}

// find is [host.Environment].Recipe.
func (r *recipes) find(top, from, reference string) (host.Recipe, bool, error) {
	ref, ok, err := recipe.Parse(reference)
	if err != nil || !ok {
		return host.Recipe{}, ok, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	met, err := r.meet(top, from, ref)
	return host.Recipe{File: met.file(), Root: met.dir}, true, err
}

// meet finds a recipe, with its files.
func (r *recipes) meet(top, from string, ref recipe.Reference) (metRecipe, error) {
	if i := slices.IndexFunc(r.met, func(m metRecipe) bool { return m.ref.Text == ref.Text }); i >= 0 {
		return r.met[i], nil
	}
	if ref.Local() && slices.ContainsFunc(r.met, func(m metRecipe) bool { return strings.HasPrefix(from, m.dir+string(filepath.Separator)) }) {
		return metRecipe{}, fmt.Errorf("%s: a recipe from elsewhere can't use a repository of this machine", ref.Text)
	}
	locked, err := r.locked(top, ref)
	if err != nil {
		return metRecipe{}, err
	}
	cache, err := cacheOf(top)
	if err != nil {
		return metRecipe{}, err
	}
	m := metRecipe{ref: ref, locked: locked}
	if m.dir, m.tree, err = r.open(cache, ref, locked); err != nil {
		return metRecipe{}, err
	}
	r.met = append(r.met, m)
	return m, nil
}

// locked is what a reference stands for.
func (r *recipes) locked(top string, ref recipe.Reference) (recipe.Locked, error) {
	lock, err := recipe.ReadLock(lockOf(top))
	if err != nil {
		return recipe.Locked{}, err
	}
	locked, known := lock.Find(ref.Text)
	switch {
	case r.resolve != nil:
		return r.resolve(ref)
	case known:
		return locked, nil
	case ref.Version == "":
		return locked, usage("flow lock "+top+" lists the newest ones", "the reference %q has no version", ref.Text)
	}
	return locked, usage("flow lock "+top+" finds what it stands for", "%s has no %s", lockOf(top), ref.Text)
}

// open gives the folder of a recipe that is locked, and its files as they are now.
func (r *recipes) open(cache recipe.Cache, ref recipe.Reference, locked recipe.Locked) (string, *recipe.Tree, error) {
	dir, tree, err := cache.Get(locked.Hash)
	switch {
	case err == nil:
		return dir, tree, nil
	case !recipe.Absent(err):
		return "", nil, err
	case r.offline:
		return "", nil, usage("flow fetch gets it where there is a network", "the recipe %s is not on this machine, and is not fetched now", ref.Text)
	}
	if tree, err = recipe.Fetch(r.ctx, ref, locked.At()); err != nil {
		return "", nil, err
	}
	if got := tree.Hash(); got != locked.Hash {
		return "", nil, fmt.Errorf("the recipe %s at %s has the hash %s, and the lock has %s", ref.Text, locked.At(), got, locked.Hash)
	}
	dir, err = cache.Put(tree)
	return dir, tree, err
}

// resolved finds what a reference stands for now, and fetches it.
func (r *recipes) resolved(cache recipe.Cache, ref recipe.Reference) (recipe.Locked, error) {
	if r.offline {
		return recipe.Locked{}, fmt.Errorf("what %s stands for is not known, and --offline forbids to ask", ref.Text)
	}
	at, err := recipe.Resolve(r.ctx, ref)
	if err != nil {
		return recipe.Locked{}, err
	}
	tree, err := recipe.Fetch(r.ctx, ref, at)
	if err != nil {
		return recipe.Locked{}, err
	}
	if _, err := cache.Put(tree); err != nil {
		return recipe.Locked{}, err
	}
	locked := recipe.Locked{Reference: ref.Text, Hash: tree.Hash()}
	if ref.OCI {
		locked.Digest = at
	} else {
		locked.Commit = at
	}
	return locked, nil
}

// isFetched reports whether a file is one of a recipe in the cache: it is not its
// caller's own, also where a command names it.
func isFetched(file string) bool {
	dir, err := recipesDir()
	path, abs := filepath.Abs(file)
	if err != nil || abs != nil {
		return false
	}
	return strings.HasPrefix(path, dir+string(filepath.Separator))
}

// open is the file that an argument of the command line names, which may be a
// reference: it is resolved and fetched then, and stands for what locked says.
func (p *program) open(ctx context.Context, argument string) (file string, ref *recipe.Reference, locked recipe.Locked, err error) {
	parsed, ok, err := recipe.Parse(argument)
	if err != nil || !ok {
		if info, statErr := os.Stat(argument); err == nil && statErr == nil && info.IsDir() {
			if inside := filepath.Join(argument, recipe.File); isFile(inside) {
				argument = inside
			}
		}
		return argument, nil, locked, err
	}
	cache, err := cacheOf("")
	if err != nil {
		return "", nil, locked, err
	}
	cache.Vendor = ""
	r := &recipes{ctx: ctx, offline: p.offline}
	if locked, err = r.resolved(cache, parsed); err != nil {
		return "", nil, locked, err
	}
	dir, _, err := cache.Get(locked.Hash)
	return filepath.Join(dir, parsed.File), &parsed, locked, err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// loadOptions are those of a file, in an environment whose references are fetched
// within ctx.
func (p *program) loadOptions(ctx context.Context, file string) host.LoadOptions {
	env := p.environment()
	env.Recipe = (&recipes{ctx: ctx, offline: p.offline}).find
	return host.LoadOptions{Environment: env, Elsewhere: isFetched(file)}
}
