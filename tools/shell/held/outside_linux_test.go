package held

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
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

// TestOutsideChanges: what is to be hidden and is gone when the command is started, or has
// become something else, is never shown: the command does not run, or finds it empty.
func TestOutsideChanges(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"nothing":    func(string) error { return nil },
		"it is gone": os.Remove,
		"a new one": func(path string) error {
			return errors.Join(os.WriteFile(path+"~", []byte("secret"), 0o600), os.Rename(path+"~", path))
		},
		"a folder": func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o755), os.WriteFile(path+"/x", []byte("secret"), 0o600))
		},
		"a link to one": func(path string) error { return errors.Join(os.Rename(path, path+"~"), os.Symlink(path+"~", path)) },
		"a link to other": func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink(filepath.Dir(path)+"/other", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, SpaceOptions{})
			f.write(map[string]string{"~/one": "secret", "~/other": "secret"})
			hidden := []string{filepath.Join(f.home, "one"), filepath.Join(f.home, "other")}
			f.space = f.newSpace(SpaceOptions{Root: f.root, Outside: func() ([]string, error) { return hidden, nil }})
			v, err := f.space.Begin(Call{})
			must(t, err)
			defer v.Close()
			var out bytes.Buffer
			cmd := exec.Command("bash", "-c", "cat ~/one ~/one/* ~/other")
			cmd.Env, cmd.Stdout = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home}, &out
			must(t, v.Wrap(cmd))
			must(t, change(hidden[0]))
			must(t, cmd.Start())
			_ = cmd.Wait()
			if strings.Contains(out.String(), "secret") {
				_, ran, err := v.Exit()
				t.Errorf("it printed %q; it ran: %t, %v", out.String(), ran, err)
			}
		})
	}
}
