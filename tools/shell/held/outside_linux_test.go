package held

import (
	"os"
	"path/filepath"
	"strings"
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
		f.space = f.newSpace(SpaceOptions{Root: f.root, Outside: func() ([]string, error) {
			if test.hidden == "" {
				return []string{f.home}, nil
			}
			return []string{filepath.Join(f.home, "notes"), filepath.Join(f.home, "one.txt"), filepath.Join(f.home, ".ssh")}, nil
		}})
		_, got := f.do(Call{}, "echo $(cat ~/notes/x ~/one.txt ~/.ssh/id_rsa ~/.cache/c ~/seen a 2>/dev/null); echo x > ~/.cache/d", anything, false)
		if got != test.want+"\n" {
			t.Errorf("%q: got %q, want %q", test.hidden, got, test.want)
		}
	}
}

// TestSecretInSecretFolder: a file that is hidden may be in a folder that is.
func TestSecretInSecretFolder(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	f.write(map[string]string{"~/.config/gh/hosts.yml": "secret", "~/.config/other": "seen"})
	f.space = f.newSpace(SpaceOptions{Root: f.root})
	if _, out := f.do(Call{}, "cat ~/.config/*/* ~/.config/other", anything, false); strings.Contains(out, "secret") || !strings.Contains(out, "seen") {
		t.Error(out)
	}
}

// TestUnreadableProgramFolder: a folder of PATH that the user can't read is left out.
func TestUnreadableProgramFolder(t *testing.T) {
	needHeld(t)
	closed := filepath.Join(realDir(t), "closed")
	must(t, os.Mkdir(closed, 0))
	f := &fixture{t: t, root: realDir(t), home: realDir(t)}
	f.run = f.open(Options{Lookup: func(name string) (string, bool) {
		if value, ok := f.lookup(name); name != "PATH" || !ok {
			return value, ok
		}
		return os.Getenv("PATH") + ":" + closed + "/bin", true
	}})
	f.space = f.newSpace(SpaceOptions{Root: f.root})
	if _, out := f.do(Call{}, "echo ran", anything, false); out != "ran\n" {
		t.Error(out)
	}
}
