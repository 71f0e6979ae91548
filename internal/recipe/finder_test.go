package recipe

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestMostRecipes: a workflow and those that it uses name so many recipes and no more; one
// that is named again is the same one.
func TestMostRecipes(t *testing.T) {
	t.Setenv("FLOW_RECIPES", t.TempDir())
	cache, err := CacheOf("")
	if err != nil {
		t.Fatal(err)
	}
	var tree Tree
	if err := tree.add(File, false, []byte("name: x\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := cache.Put(&tree); err != nil {
		t.Fatal(err)
	}
	f := &Finder{Lock: &Lock{}}
	for i := range maxRecipes + 1 {
		f.Lock.Set(Locked{Reference: fmt.Sprintf("github.com/acme/recipes/r%d@main", i), Commit: strings.Repeat("1", 40), Hash: tree.Hash()})
	}
	find := func(i int) error {
		_, _, err := f.Find(t.Context(), "flow.yaml", "flow.yaml", fmt.Sprintf("github.com/acme/recipes/r%d@main", i))
		return err
	}
	for i := range maxRecipes {
		if err := find(i); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := find(0); err != nil {
		t.Error(err)
	}
	if err := find(maxRecipes); err == nil || !strings.Contains(err.Error(), "more than 200 recipes are used in total") {
		t.Errorf("%v", err)
	}
}

// TestRootOfWithoutHome: a vendored recipe is not its caller's own, also where there is no
// folder for a cache.
func TestRootOfWithoutHome(t *testing.T) {
	for _, name := range []string{"FLOW_RECIPES", "XDG_CACHE_HOME", "HOME"} {
		t.Setenv(name, "")
	}
	root := filepath.Join(t.TempDir(), "flow_vendor", "one")
	if got := RootOf(filepath.Join(root, "flow.yaml")); got != root {
		t.Errorf("%q, want %q", got, root)
	}
	if got := RootOf(filepath.Join(t.TempDir(), "flow.yaml")); got != "" {
		t.Errorf("one's own file: %q", got)
	}
}
