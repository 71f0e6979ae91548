package recipe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// maxRecipes is how many recipes a workflow may use, directly or through other recipes.
const maxRecipes = 200

// A Finder finds the recipes of references: by the lock beside the loaded workflow, in its vendor
// folder, in the cache, or else at the source in the lock. The zero Finder is ready. It is safe
// for concurrent use.
type Finder struct {
	// Offline forbids to fetch recipes, and to resolve references.
	Offline bool

	// Lock resolves references. Nil: the one beside the loaded workflow.
	Lock *Lock

	// Renew says which references are resolved anew, by whether the lock has them. Nil: none, and the
	// lock has to have them all.
	Renew func(ref Reference, locked bool) bool

	mu    sync.Mutex
	found []Found
}

// Found is the recipe of a reference, with its files.
type Found struct {
	Reference Reference
	Locked    Locked // what the reference stands for
	Dir       string // of its files, absolute
	Tree      *Tree
}

// File is the path of its workflow.
func (f Found) File() string { return filepath.Join(f.Dir, f.Reference.File) }

// A HintedError is an error with a hint.
type HintedError struct{ message, hint string }

// Errorf makes a [HintedError]; the hint may be empty.
func Errorf(hint, format string, args ...any) error {
	return &HintedError{fmt.Sprintf(format, args...), hint}
}

// Error returns the message.
func (e *HintedError) Error() string { return e.message }

// Hint says what can be done.
func (e *HintedError) Hint() string { return e.hint }

// Folder is the folder of the cache: FLOW_RECIPES, or one of the user's.
func Folder() (string, error) {
	if dir := os.Getenv("FLOW_RECIPES"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", errors.Join(errors.New("no folder for recipes: set FLOW_RECIPES to one"), err)
	}
	return filepath.Join(dir, "flow", "recipes"), nil
}

// LockOf is the path of the lock beside a workflow.
func LockOf(file string) string { return filepath.Join(filepath.Dir(file), lockFile) }

// CacheOf is the user's cache, behind the vendor folder beside a workflow.
func CacheOf(file string) (Cache, error) {
	dir, err := Folder()
	if err != nil {
		return Cache{}, err
	}
	vendor, err := filepath.Abs(filepath.Join(filepath.Dir(file), paths.VendorFolder))
	return Cache{Dir: dir, Vendor: vendor}, err
}

// IsFetched reports whether a file belongs to a recipe in the cache or in a vendor folder. Such a
// file is not the caller's own, even if a command names it.
func IsFetched(file string) bool { return RootOf(file) != "" }

// RootOf is the folder, absolute, of the fetched recipe that a file belongs to, also through
// symlinks; "" if the file is the caller's own.
func RootOf(file string) string {
	path, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	dir, err := Folder()
	if err != nil {
		dir = "" // there is no cache, and a vendor folder needs none
	}
	if root := rootIn(dir, path); root != "" {
		return root
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if real, err := filepath.EvalSymlinks(file); err == nil { // before .. is taken away, which may follow a link
		path, _ = filepath.Abs(real)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return rootIn(dir, path)
}

// rootIn is the folder of the recipe that a path belongs to, in a cache or in a vendor folder. An
// empty dir is no cache.
func rootIn(dir, path string) string {
	const slash = string(filepath.Separator)
	if within, cached := strings.CutPrefix(path, dir+slash); cached && dir != "" {
		name, _, _ := strings.Cut(within, slash)
		return dir + slash + name
	}
	return paths.Vendored(path)
}

// All returns the recipes that were found, each once, in the order of their first use.
func (f *Finder) All() []Found {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.found)
}

// Find finds the recipe that a file names under uses. top is the loaded workflow. It reports
// false for a name that is no reference.
func (f *Finder) Find(ctx context.Context, top, from, name string) (found Found, ok bool, err error) {
	ref, ok, err := Parse(name)
	if err != nil || !ok {
		return Found{}, ok, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	found, err = f.find(ctx, top, from, ref)
	return found, true, err
}

// find returns the recipe of a reference, with its files.
func (f *Finder) find(ctx context.Context, top, from string, ref Reference) (Found, error) {
	foreign := IsFetched(from) || slices.ContainsFunc(f.found, func(m Found) bool { return strings.HasPrefix(from, m.Dir+string(filepath.Separator)) })
	if ref.Local() && foreign {
		return Found{}, fmt.Errorf("%s: a fetched recipe can't use recipes from a repository on this machine", ref.Text)
	}
	if i := slices.IndexFunc(f.found, func(m Found) bool { return m.Reference.Text == ref.Text }); i >= 0 {
		return f.found[i], nil
	}
	if len(f.found) == maxRecipes {
		return Found{}, fmt.Errorf("%s: more than %d recipes are used in total", ref.Text, maxRecipes)
	}
	cache, err := CacheOf(top)
	if err != nil {
		return Found{}, err
	}
	lock := f.Lock
	if lock == nil {
		if lock, err = ReadLock(LockOf(top)); err != nil {
			return Found{}, err
		}
	}
	locked, known := lock.Find(ref.Text)
	m := Found{Reference: ref, Locked: locked}
	switch {
	case f.Renew != nil && f.Renew(ref, known):
		m, err = f.now(ctx, cache, ref)
	case known:
		m.Dir, m.Tree, err = f.Open(ctx, cache, ref, locked)
	case IsFetched(top):
		err = Errorf("its author can lock it with flow lock, or use the recipe from a workflow of your own and lock that", "the recipe uses %s, which is not in the recipe's flow.lock", ref.Text)
	case ref.Version == "":
		err = errUnversioned(ref)
	default:
		err = Errorf("to lock it: flow lock "+top, "not locked: %s", ref.Text)
	}
	if err != nil {
		return Found{}, err
	}
	f.found = append(f.found, m)
	return m, nil
}

// Open returns the folder of a locked recipe, and its files as they are now.
func (f *Finder) Open(ctx context.Context, cache Cache, ref Reference, locked Locked) (string, *Tree, error) {
	dir, tree, err := cache.Get(locked.Hash)
	switch {
	case err == nil:
		return dir, tree, nil
	case !Absent(err):
		return "", nil, err
	case f.Offline:
		return "", nil, Errorf("fetch it first, with a network: flow fetch", "the recipe %s is not on this machine", ref.Text)
	}
	if tree, err = FetchLocked(ctx, ref, locked); err != nil {
		return "", nil, err
	}
	dir, err = cache.Put(tree)
	return dir, tree, err
}

// FetchLocked fetches the files of a reference. They must have the hash in the lock.
func FetchLocked(ctx context.Context, ref Reference, locked Locked) (*Tree, error) {
	tree, err := Fetch(ctx, ref, locked.At())
	if err != nil {
		return nil, err
	}
	if got := tree.Hash(); got != locked.Hash {
		return nil, fmt.Errorf("the recipe %s at %s has the hash %s, but flow.lock has %s", ref.Text, locked.At(), got, locked.Hash)
	}
	return tree, nil
}

// now resolves a reference anew, and fetches its recipe into the cache.
func (f *Finder) now(ctx context.Context, cache Cache, ref Reference) (Found, error) {
	if f.Offline {
		return Found{}, fmt.Errorf("the version of %s is unknown, and --offline allows no request", ref.Text)
	}
	at, err := Resolve(ctx, ref)
	if err != nil {
		return Found{}, err
	}
	tree, err := Fetch(ctx, ref, at)
	if err != nil {
		return Found{}, err
	}
	locked := Locked{Reference: ref.Text, Commit: at, Hash: tree.Hash()}
	if ref.OCI {
		locked.Commit, locked.Digest = "", at
	}
	dir, err := cache.Put(tree)
	return Found{ref, locked, dir, tree}, err
}
