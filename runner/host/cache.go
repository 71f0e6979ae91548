package host

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/providers/cache"
	"github.com/a-seed-11b9befa/flow/runner"
)

// A Cache keeps the answers of models, for steps with a cache. The zero value keeps none.
type Cache struct {
	Dir  string // the folder; "": none are kept
	Err  error  // why there is no folder; a run warns of it at the first step whose answers are to be kept
	Only bool   // a request whose answer is not kept is an error
	Off  bool   // none are kept, also where Dir names a folder, and in a resumed run without Only
}

// The limits of the cache, which are applied when a run that used it has ended.
const (
	maxUnused  = 90 * 24 * time.Hour
	maxAnswers = 1 << 30 // bytes
)

// CacheDir is the user's folder of cached answers: FLOW_CACHE, or one in the cache folder of the
// system.
func CacheDir(lookup func(string) (string, bool)) (string, error) {
	if dir, set := lookup("FLOW_CACHE"); set && dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for cached answers: %w (set FLOW_CACHE to one)", err)
	}
	return filepath.Join(dir, "flow", "answers"), nil
}

// cache returns the cache of a run, which opens the store once.
func (l *Loaded) cache(o Cache) runner.Cache {
	switch {
	case o.Off:
		return runner.Cache{Off: true}
	case o.Dir == "" && o.Err == nil:
		return runner.Cache{Only: o.Only}
	}
	mask := l.Mask()
	return runner.Cache{Only: o.Only, Open: sync.OnceValues(func() (*cache.Store, error) {
		if o.Err != nil {
			return nil, o.Err
		}
		store, err := cache.Open(o.Dir, cache.Options{Only: o.Only, Secret: func(text string) bool { return mask.String(text) != text }})
		if err == nil && !o.Only {
			store.Trim(maxUnused, maxAnswers) // what can't be removed is removed another time
		}
		return store, err
	})}
}
