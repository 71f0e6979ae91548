package held

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// cache is a folder in which compilers and package managers keep what they have built or
// fetched, or the home folder with several of them: an overlay costs more than anything else
// that a command gets. What commands change there is in a layer, which lasts for the run.
type cache struct {
	root, layer string
	parts       []string    // the caches, from the home folder; nil says that root is one
	calls       string      // the folder for the upper folders of commands
	mu          *sync.Mutex // held while the layer changes
}

// joined returns the paths of the parts of a folder, or of the folder if parts is nil.
func joined(root string, parts []string) []string {
	if parts == nil {
		return []string{root}
	}
	var all []string
	for _, part := range parts {
		all = append(all, filepath.Join(root, part))
	}
	return all
}

// cachePlace is where a cache is: where a variable says, or in the home folder. The program
// makes it if it is not there.
type cachePlace struct{ variable, folder, program string }

func cachePlaces() []cachePlace {
	return []cachePlace{
		{"XDG_CACHE_HOME", ".cache", "sh"}, {"GOCACHE", "", ""}, {"GOMODCACHE", "go/pkg", "go"}, {"CARGO_HOME", ".cargo", "cargo"},
		{"npm_config_cache", ".npm", "npm"}, {"", ".m2", "mvn"}, {"", ".gradle", "gradle"}, {"", ".nuget", ""}, {"", ".yarn", ""}, {"", ".bun", ""},
		{"", ".local/share/pnpm", ""}, {"", ".ivy2", ""}, {"", ".sbt", ""}, {"", ".composer", ""}, {"", ".gem", ""},
	}
}

func (p cachePlace) path(o Options) string {
	if value, _ := o.Lookup(p.variable); filepath.IsAbs(value) {
		return filepath.Clean(value)
	}
	if p.folder == "" || o.Home == "" {
		return ""
	}
	return filepath.Join(o.Home, p.folder)
}

// cacheFolders returns the real paths of the caches that are there.
func (o Options) cacheFolders() (all []string) {
	for _, place := range cachePlaces() {
		if real, err := filepath.EvalSymlinks(place.path(o)); err == nil && filepath.IsAbs(real) && unix.Access(real, unix.R_OK|unix.X_OK) == nil {
			all = append(all, real)
		}
	}
	return folder.Outermost(all)
}

// makeCaches creates the layers of the caches. Those in the home folder share one, unless the
// store is in there too: an overlay can't have its upper folder in the folder below it.
func (r *Run) makeCaches(s *store) error {
	home, err := filepath.EvalSymlinks(r.o.Home)
	shares := err == nil && filepath.IsAbs(home) && !folder.Holds(home, s.path)
	shared := cache{root: home}
	for _, path := range r.o.cacheFolders() {
		if rel, err := filepath.Rel(home, path); shares && err == nil && rel != "." && filepath.IsLocal(rel) && mountOf(path) == mountOf(home) {
			shared.parts = append(shared.parts, rel)
		} else {
			r.caches = append(r.caches, cache{root: path})
		}
	}
	if shared.parts != nil {
		r.caches = append(r.caches, shared)
	}
	for i := range r.caches {
		c := &r.caches[i]
		c.layer, c.calls, c.mu = filepath.Join(s.path, fmt.Sprintf("cache-%d", i)), s.path, &sync.Mutex{}
		if err := mkdirLike(c.layer, c.root); err != nil {
			return err
		}
	}
	return nil
}

// land moves the changes in the layer into the caches.
func (c cache) land() error {
	var errs []error
	for i, layer := range joined(c.layer, c.parts) {
		if err := absorb(layer, joined(c.root, c.parts)[i], true); !gone(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// ensureCaches creates the caches that an installed program would create.
func (o Options) ensureCaches() {
	for _, place := range cachePlaces() {
		path := place.path(o)
		if _, err := os.Stat(path); path == "" || !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if _, err := exec.LookPath(place.program); err == nil {
			_ = os.MkdirAll(path, 0o755)
		}
	}
}
