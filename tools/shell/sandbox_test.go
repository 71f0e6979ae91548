package shell

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestScratch shows that what is open to every command holds no folder of
// programs, wherever the variables put it, and no relative one.
func TestScratch(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, link := filepath.Join(home, "elsewhere"), filepath.Join(home, "link")
	cache := filepath.Join(home, ".cache")
	if err := errors.Join(os.MkdirAll(cache, 0o755), os.Mkdir(elsewhere, 0o755), os.Symlink(elsewhere, link), os.Symlink(elsewhere, filepath.Join(cache, "go"))); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env        map[string]string
		want, bare string // a folder that is open, and one that is not
	}{
		"caches of the home": {map[string]string{"HOME": home}, filepath.Join(home, ".cargo", "registry"), filepath.Join(home, ".cargo")},
		"cargo elsewhere":    {map[string]string{"CARGO_HOME": home}, filepath.Join(home, "registry"), home},
		"go elsewhere":       {map[string]string{"GOMODCACHE": home}, home, "go/pkg"},
		"no home":            {nil, "/var/tmp", "registry"},
		"by a link":          {map[string]string{"TMPDIR": link}, elsewhere, link},
		"nothing there yet":  {map[string]string{"HOME": link, "TMPDIR": "/nowhere"}, filepath.Join(elsewhere, ".npm"), filepath.Join(link, ".npm")},
		"by a link in one":   {map[string]string{"HOME": home, "TMPDIR": "/tmp/x", "GOCACHE": filepath.Join(cache, "go")}, cache, elsewhere},
		"a relative folder":  {map[string]string{"TMPDIR": "tmp"}, "/var/tmp", "tmp"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Scratch(func(name string) (string, bool) { v, ok := c.env[name]; return v, ok })
			if !slices.Contains(got, c.want) || slices.Contains(got, c.bare) {
				t.Errorf("open are %q", got)
			}
		})
	}
}
