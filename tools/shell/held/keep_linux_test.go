package held

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestByProductsFollowNoLink: a link that was set aside, in whose place the workspace
// has a folder now, takes no by-products to where it leads, and has none deleted there.
func TestByProductsFollowNoLink(t *testing.T) {
	ignored := func() func(string, bool) bool {
		return func(rel string, _ bool) bool { return strings.HasPrefix(rel, "out") }
	}
	f := newFixture(t, SpaceOptions{Ignored: ignored})
	f.write(map[string]string{"~/kept.log": "kept"})
	f.space = f.newSpace(SpaceOptions{Root: f.root, Ignored: ignored})
	rules := func(c Change) (bool, string) {
		return strings.HasPrefix(c.Rel, "out/") && !strings.HasSuffix(c.Rel, ".log"), "no logs"
	}
	if o, out := f.do(Call{}, "ln -s ~ out && cat out/kept.log", rules, false); o.Kept != 1 || out != "kept" {
		t.Fatalf("the link: %+v, printed %q", o, out)
	}
	f.write(map[string]string{"out/kept.log": "the workspace's"})
	f.do(Call{}, "rm out; mkdir out; echo x > out/new.log; echo x > out/x", rules, false)
	f.do(Call{}, "rm -rf out; mkdir out; echo x > out/kept.log", rules, false)
	f.do(Call{}, "rm -f out/kept.log out/new.log", rules, false)
	if _, err := os.Lstat(filepath.Join(f.home, "new.log")); err == nil {
		t.Error("new.log was made where the link led")
	}
	if text, err := os.ReadFile(filepath.Join(f.home, "kept.log")); string(text) != "kept" {
		t.Errorf("kept.log: %q, %v", text, err)
	}
}
