package held

import (
	"path/filepath"
	"testing"
)

// TestOutside: what rules hide outside of the workspace is empty, but for what a
// command works in.
func TestOutside(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	f.write(map[string]string{
		"~/notes/x": "secret", "~/one.txt": "secret", "~/.cache/c": "cached", "~/.ssh/id_rsa": "secret", "~/seen": "seen", "a": "a",
	})
	f.run = f.open(Options{})
	for _, test := range []struct{ hidden, want string }{
		{"notes one.txt .ssh", "cachedseena"},
		{"", "cacheda"},
	} {
		f.space = f.newSpace(SpaceOptions{Root: f.root, Outside: func() []string {
			if test.hidden == "" {
				return []string{f.home}
			}
			return []string{filepath.Join(f.home, "notes"), filepath.Join(f.home, "one.txt"), filepath.Join(f.home, ".ssh")}
		}})
		_, got := f.do(Call{}, "echo $(cat ~/notes/x ~/one.txt ~/.ssh/id_rsa ~/.cache/c ~/seen a 2>/dev/null); echo x > ~/.cache/d", anything, false)
		if got != test.want+"\n" {
			t.Errorf("%q: got %q, want %q", test.hidden, got, test.want)
		}
	}
}
