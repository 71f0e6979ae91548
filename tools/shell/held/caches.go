package held

import (
	"cmp"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// cacheFolders returns the folders in which compilers and package managers keep what they
// have built or fetched. lookup is like [os.LookupEnv].
func cacheFolders(home string, lookup func(name string) (string, bool)) []string {
	value := func(name string) string { v, _ := lookup(name); return v }
	in := func(name string) string {
		if home == "" {
			return ""
		}
		return filepath.Join(home, name)
	}
	var all []string
	for _, path := range []string{
		cmp.Or(value("XDG_CACHE_HOME"), in(".cache")), value("GOCACHE"), cmp.Or(value("GOMODCACHE"), in("go/pkg")),
		cmp.Or(value("CARGO_HOME"), in(".cargo")), cmp.Or(value("npm_config_cache"), in(".npm")), in(".m2"), in(".gradle"), in(".nuget"),
		in(".yarn"), in(".bun"), in(".local/share/pnpm"), in(".ivy2"), in(".sbt"), in(".composer"), in(".gem"),
	} {
		if filepath.IsAbs(path) {
			all = append(all, filepath.Clean(path))
		}
	}
	return folder.Outermost(all)
}
