package held

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReplacedSecret: a secret that its program writes anew while a command runs is as
// empty for the command as the old one.
func TestReplacedSecret(t *testing.T) {
	needHeld(t)
	here, err := filepath.Abs(".")
	must(t, err)
	if !restricts() || strings.HasPrefix(here, "/tmp/") || strings.HasPrefix(here, "/var/tmp/") {
		t.Skip("SKIPPED: without Landlock, or in a folder of which each command has its own")
	}
	home, err := os.MkdirTemp(here, "home-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	f := &fixture{t: t, root: realDir(t), home: home}
	f.run = f.open(Options{})
	f.write(map[string]string{"~/.netrc": "secret", "~/.bashrc": "rc\n", "~/.cache/": "", "~/.config/gh/hosts.yml": "secret"})
	f.space = f.newSpace(SpaceOptions{Root: f.root})
	v, cmd, out := f.begin(Call{}, "cat ~/.netrc && ls ~/.config/gh && echo empty; touch started; until [ -e ~/now ]; do sleep 0.02; done; cat ~/.netrc ~/.config/gh/* 2>/dev/null; cat ~/.bashrc; echo x > ~/.cache/x && cat ~/.cache/x && mv ~/.cache/x ~/.cache/y; echo ran")
	defer v.Close()
	for started := v.uppers[0].Upper + "/started"; ; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(started); err == nil {
			break
		}
	}
	secret, folder := filepath.Join(f.home, ".netrc"), filepath.Join(f.home, ".config/gh")
	must(t, errors.Join(
		os.WriteFile(secret+"~", []byte("secret"), 0o600), os.Rename(secret+"~", secret),
		os.RemoveAll(folder), os.Mkdir(folder, 0o755), os.WriteFile(folder+"/hosts.yml", []byte("secret"), 0o600),
		os.WriteFile(filepath.Join(f.home, "now"), nil, 0o644),
	))
	_ = cmd.Wait()
	if out.String() != "empty\nrc\nx\nran\n" {
		t.Errorf("it printed %q", out)
	}
}
