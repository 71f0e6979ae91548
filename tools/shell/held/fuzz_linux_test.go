package held

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What scripts are made of: a byte of the input picks one.
var (
	fuzzFolders = []string{"docs", "docs/sub", "src", ".", "..", "docs/..", "../..", "/", "~", "docs/link", "$OLDPWD", "-", ".git", "docs/new", "/tmp", "docs/sub/../../src", "$PWD", "build"}
	fuzzFiles   = []string{"docs/a", "a", "../src/main", "src/main", "docs/link/main", "~/outside", "$HOME/outside", "/tmp/x", ".git/config", ".git/hooks/x", "docs/.git/config", "docs/new/b", "flow.yaml", "docs/../src/main",
		"docs/HEAD", "docs/objects", "docs/refs", ".env", "docs/key.pem", "build/x", "docs/-", "docs/sub/c", "/dev/null", "/proc/self/cwd/src/main", "/etc/flow-fuzz", "docs/{a,../src/main}", "docs/*"}
	fuzzParts = []string{
		"cd @D", "\\cd @D", "command cd @D", "builtin cd -P @D", "pushd @D", "popd", "cd", "CDPATH=docs cd sub", "cd @D && cd @D",
		"echo stolen > @F", "echo stolen >> @F", ": >| @F", "echo stolen >& @F", "exec 5> @F; echo stolen >&5", "echo x | tee @F @F", "cat @F", "cp @F @F", "timeout 0.2 cp -r @D @D/x", "mv @F @F", "mv -T @D @D",
		"ln -s @F @F", "ln @F @F", "ln -s @D @F", "rm -f @F", "rm -rf @D", "mkdir -p @D/n @F", "touch @F", "truncate -s 3 @F", "dd if=/dev/zero of=@F bs=1 count=3", "chmod 4755 @F", "chmod 000 @F", "mkfifo @F", "sed -i s/a/b/ @F",
		"for f in @F @F; do echo stolen > \"$f\"; done", "(cd @D; echo stolen > a)", "{ cd @D; echo stolen > b; } &", "f() { cd @D; echo stolen > @F; }; f", "trap 'echo stolen > @F' EXIT", "setsid sh -c 'sleep 0.01; echo stolen > @F' &",
		"tar cf @F docs src", "tar xf @F -C @D", "install -m 755 @F @F", "git init -q @D", "git add -A", "git --git-dir=@D status", "mount -t tmpfs x @D", "unshare -r sh -c 'echo stolen > @F'", "python3 -c 'open(\"@F\", \"w\").write(\"stolen\")'", "exit 1",
	}
)

// fuzzScript makes a script from bytes.
func fuzzScript(data []byte) string {
	var script strings.Builder
	next := func(n int) int {
		if len(data) == 0 {
			return 0
		}
		i := int(data[0]) % n
		data = data[1:]
		return i
	}
	for parts := 0; len(data) > 0 && parts < 12; parts++ {
		part := fuzzParts[next(len(fuzzParts))]
		for strings.Contains(part, "@D") {
			folder := fuzzFolders[next(len(fuzzFolders))]
			if folder == "/" && (strings.HasPrefix(part, "cp") || strings.HasPrefix(part, "mv")) {
				folder = "/etc/skel" // not all that this machine has, over and over
			}
			part = strings.Replace(part, "@D", folder, 1)
		}
		for strings.Contains(part, "@F") {
			part = strings.Replace(part, "@F", fuzzFiles[next(len(fuzzFiles))], 1)
		}
		script.WriteString(part + []string{"; ", " && ", " || ", "\n"}[next(4)])
	}
	return script.String() + ":"
}

// fuzzAllowed is what the judge of the fuzz tests lets land.
func fuzzAllowed(rel string) bool { return strings.HasPrefix(rel, "docs/") && rel != "docs/key.pem" }

// FuzzLand runs scripts in a real bash. Whatever they do, nothing changes but what the
// judge allows, nothing hidden is read, and what lands is no link to a secret, no
// special file and no repository of git.
func FuzzLand(f *testing.F) {
	for _, seed := range []string{"\x09\x00", "\x00\x09\x09\x01", "\x14\x02\x05\x00\x09\x05", "\x2a\x00\x09\x09", "\x11\x11\x03\x0f\x11", "\x13\x00\x02", "\x1a\x00\x00\x09\x0e\x00\x09\x0f\x00\x09\x10"} {
		f.Add([]byte(seed))
	}
	if Available() != nil {
		f.Skipf("SKIPPED: %v", Available())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		keepFromScripts()
		fuzzLand(t, data)
	})
}

// keepFromScripts keeps what a fuzzing process is told by from its scripts: one that
// wrote to that, by >&5, brought it to a halt.
var keepFromScripts = sync.OnceFunc(func() {
	for fd := 3; fd < 10; fd++ {
		unix.CloseOnExec(fd)
	}
})

// TestRandomScripts does that with scripts of chance, for as long as FLOW_FUZZ says.
func TestRandomScripts(t *testing.T) {
	needHeld(t)
	long, _ := time.ParseDuration(os.Getenv("FLOW_FUZZ"))
	seed := uint64(1)
	if long > 0 {
		seed = uint64(time.Now().UnixNano())
	}
	random := rand.New(rand.NewPCG(seed, 0))
	done, start := 0, time.Now()
	for ; done < 20 || time.Since(start) < long; done++ {
		data := make([]byte, 4+random.IntN(44))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		if !t.Run(fmt.Sprintf("%x", data), func(t *testing.T) { fuzzLand(t, data) }) && long > 0 {
			break
		}
	}
	t.Logf("%d scripts in %v, from seed %d", done, time.Since(start), seed)
}

func fuzzLand(t *testing.T, data []byte) {
	if len(data) > 64 {
		return
	}
	script := fuzzScript(data)
	x := newFixture(t, SpaceOptions{
		Hidden: hidesKeys,
		Ignored: func() func(string, bool) bool {
			return func(rel string, _ bool) bool { return strings.HasPrefix(rel, "build") }
		},
	})
	x.space.o.Protected = []string{x.root + "/flow.yaml"}
	x.write(map[string]string{
		"docs/a": "a", "docs/sub/c": "c", "docs/link": "-> ../src", "docs/key.pem": "in-the-secret", "src/main": "before", ".env": "in-the-secret", "flow.yaml": "name: x", ".git/HEAD": "ref: refs/heads/x", ".git/config": "[core]",
		".git/hooks/sample": "x", "~/outside": "before", "~/.ssh/id_rsa": "in-the-secret",
	})
	x.play(t, script, fuzzState(t, x))
}

func (f *fixture) play(t *testing.T, script string, before map[string]string) {
	t.Helper()
	v, err := f.space.Begin(Call{Offline: true})
	must(t, err)
	defer v.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // what still copies is bounded, too
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", script)
	out, err := os.CreateTemp(t.TempDir(), "out")
	must(t, err)
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env, cmd.Dir = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home}, f.root
	must(t, v.Wrap(cmd))
	must(t, cmd.Start())
	_ = cmd.Wait()
	printed, err := os.ReadFile(out.Name())
	must(t, err)
	if strings.Contains(string(printed), "in-the-secret") {
		t.Fatalf("%s\nread a secret: %s", script, printed)
	}
	if _, err := v.Land(func(c Change) (bool, string) { return fuzzAllowed(c.Rel), "" }, true); err != nil {
		t.Fatalf("%s\n%v", script, err)
	}
	after := fuzzState(t, f)
	for path, state := range after {
		if before[path] != state && !f.fine(path, state) {
			t.Errorf("%s\nlanded %s: %s", script, path, state)
		}
	}
	for path := range before {
		if _, there := after[path]; !there && !f.fine(path, "") {
			t.Errorf("%s\ndeleted %s", script, path)
		}
	}
	if isRepository(f.root+"/docs") || isRepository(f.root+"/docs/new") {
		t.Errorf("%s\nmade a repository", script)
	}
}

// fine reports whether a path may have come to a state.
func (f *fixture) fine(path, state string) bool {
	rel, inside := strings.CutPrefix(path, f.root+"/")
	switch {
	case path == f.root, strings.HasPrefix(path, f.home+"/.local"), path == f.home:
		return true
	case !inside:
		return false
	case rel != "docs" && !fuzzAllowed(rel), strings.Contains(rel, ".git"):
		return false
	}
	mode, _, _ := strings.Cut(state, " ")
	return !strings.ContainsAny(mode[:min(1, len(mode))], "pSDcu") && !strings.Contains(state, "in-the-secret") && !strings.Contains(state, "id_rsa")
}

// fuzzState is what there is in the workspace and at home.
func fuzzState(t *testing.T, f *fixture) map[string]string {
	all := map[string]string{}
	for _, top := range []string{f.root, f.home} {
		must(t, filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil // a folder that the script has closed, and may close
			}
			info, err := entry.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a view that is removed in the background
			}
			if err != nil {
				return err
			}
			state := info.Mode().String()
			if link, err := os.Readlink(path); err == nil {
				state += " " + link
			}
			if info.Mode().IsRegular() {
				text, _ := os.ReadFile(path) // root can, others may not
				state += fmt.Sprintf(" %x", sha256.Sum256(text))
			}
			all[path] = state
			return nil
		}))
	}
	if _, err := os.Lstat("/etc/flow-fuzz"); err == nil {
		all["/etc/flow-fuzz"] = "there"
	}
	return all
}
