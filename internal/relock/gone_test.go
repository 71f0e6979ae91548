package relock

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/recipe"
)

// TestFileOfSeveralVersionsIsGoneOnce has an update that replaces two versions, both with files that the new
// one has not.
func TestFileOfSeveralVersionsIsGoneOnce(t *testing.T) {
	tree := func(names ...string) *recipe.Tree {
		dir := t.TempDir()
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		read, err := recipe.ReadFolder(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		return read
	}
	old := tree("a", "b", "flow.yaml")
	all := changedFiles([]*recipe.Tree{old, old}, tree("c", "flow.yaml"), func(name string) bool { return name == "c" })
	var got string
	for _, d := range all {
		got += d.String() + "\n"
	}
	if want := "new: file c (may do more)\nremoved: file a\nremoved: file b\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
