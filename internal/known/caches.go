package known

import "path/filepath"

// Cache is a folder in which programs keep what they have built or fetched.
type Cache struct {
	Variable, Folder string // it is where the variable says, or there in the home folder
	Program          string // this makes the folder if it is not there
	Open             string // its part that holds no installed programs; "" is none
}

// Caches returns the caches of compilers and package managers, that of the user first.
func Caches() []Cache {
	return []Cache{
		{"XDG_CACHE_HOME", ".cache", "sh", "."}, {"GOCACHE", "", "", "."}, {"GOMODCACHE", "go/pkg", "go", "."}, {"CARGO_HOME", ".cargo", "cargo", "registry"},
		{"npm_config_cache", ".npm", "npm", "."}, {"", ".m2", "mvn", "."}, {"", ".gradle", "gradle", "."}, {"", ".nuget", "", "."}, {"", "Library/Caches", "", "."},
		{"", ".yarn", "", ""}, {"", ".bun", "", ""}, {"", ".local/share/pnpm", "", ""}, {"", ".ivy2", "", ""}, {"", ".sbt", "", ""}, {"", ".composer", "", ""}, {"", ".gem", "", ""},
	}
}

// Path returns the absolute path of a cache, or "" if it has none. lookup is like [os.LookupEnv].
func (c Cache) Path(home string, lookup func(name string) (string, bool)) string {
	if value, _ := lookup(c.Variable); filepath.IsAbs(value) {
		return filepath.Clean(value)
	}
	if c.Folder == "" || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, c.Folder)
}
