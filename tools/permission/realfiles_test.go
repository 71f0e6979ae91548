package permission

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestRealFiles generates commands that go through directories and links, runs
// those that are allowed with the system's own programs, and checks that nothing
// changed but what the write rules allow, and that no output holds what the read
// rules deny. All happens many folders below a temporary one, and no command
// removes a folder that is not empty.
func TestRealFiles(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NO FILES WERE COMPARED: there is no bash")
	}
	n, end := generatedCommands(1000)
	const workers = 4
	var wait sync.WaitGroup
	for i := range workers {
		c := newCage(t, bash)
		g := grammar{rand.New(rand.NewPCG(uint64(i), uint64(n)))}
		wait.Go(func() {
			for range n / workers {
				if time.Now().After(end) {
					return
				}
				c.compare(t, g)
			}
		})
	}
	wait.Wait()
}

// token is what the files hold that may not be read.
const token = "hidden-token"

// caged are the programs that bash finds.
var caged = []string{"cat", "cp", "mv", "ln", "mkdir", "rm", "rmdir", "touch", "tee", "sed", "sort", "head", "dd", "install", "chmod"}

// cage is a workspace deep in a temporary folder, and its bash.
type cage struct{ bash, bin, base string }

func newCage(t *testing.T, bash string) cage {
	t.Helper()
	c := cage{bash: bash, bin: t.TempDir(), base: filepath.Join(t.TempDir(), "1/2/3/4/5/6/7/8/9")}
	for _, name := range caged {
		if real, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(real, filepath.Join(c.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return c
}

func (c cage) root() string { return filepath.Join(c.base, "ws") }
func (c cage) home() string { return filepath.Join(c.base, "home") }

// reset builds the workspace anew.
func (c cage) reset() error {
	if err := os.RemoveAll(c.base); err != nil {
		return err
	}
	for _, file := range []string{
		"ws/docs/a", "ws/docs/d/b", "ws/docs/d/e/k", "ws/src/s", "ws/flow.yaml", "ws/.git/config", "ws/README", "outside/o", "home/h", "ws/pub/k",
	} {
		if err := c.write(file, "x\n"); err != nil {
			return err
		}
	}
	for _, file := range []string{"ws/secrets/k", "ws/.env", "home/.netrc", "outside/id_rsa", "ws/docs/x.key"} {
		if err := c.write(file, token+"\n"); err != nil {
			return err
		}
	}
	for link, target := range map[string]string{
		"ws/docs/up": "..", "ws/docs/l": "d", "ws/zl": "docs", "ws/docs/s": "../secrets", "ws/docs/f": "../flow.yaml", "ws/docs/d/out": "../../../outside", "ws/docs/n": "../src/new",
	} {
		if err := os.Symlink(target, filepath.Join(c.base, link)); err != nil {
			return err
		}
	}
	return nil
}

func (c cage) write(file, text string) error {
	path := filepath.Join(c.base, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// snapshot describes all that is below the base but not in ws/docs.
func (c cage) snapshot() (string, error) {
	var out strings.Builder
	docs := filepath.Join(c.root(), "docs")
	err := filepath.WalkDir(c.base, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == docs {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s %v", strings.TrimPrefix(path, c.base), info.Mode())
		if info.Mode().IsRegular() {
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&out, " %q", text)
		}
		out.WriteByte('\n')
		return nil
	})
	return out.String(), err
}

// compare runs one command that is allowed.
func (c cage) compare(t *testing.T, g grammar) {
	if err := c.reset(); err != nil {
		t.Error(err)
		return
	}
	command := g.filing(3)
	for !c.allows(t, command) {
		command = g.filing(3)
	}
	before, err := c.snapshot()
	if err != nil {
		t.Error(err)
	}
	output := c.run(command)
	after, err := c.snapshot()
	if err != nil {
		t.Error(err)
	}
	if before != after {
		t.Errorf("%s\nchanged\n%sto\n%s", command, before, after)
	}
	if strings.Contains(output, token) {
		t.Errorf("%s\nshowed what may not be read: %s", command, output)
	}
}

// allows judges a command by rules that name programs: the catch-all would cover
// what is guarded.
func (c cage) allows(t *testing.T, command string) bool {
	rules := Rules{"write": only("docs/**", Allow), "read": {{"*", Allow}, {"secrets/**", Deny}}}
	for _, name := range append([]string{"pushd", "eval", "bash -c", "env", "exec", "mapfile", "read", "echo"}, caged...) {
		rules["bash"] = append(rules["bash"], Rule{name + " *", Allow})
	}
	p, err := New(Config{Root: c.root(), Home: c.home(), Domains: []Domain{{Layers: []Rules{rules}}}})
	if err != nil {
		t.Error(err)
		return true
	}
	return p.Decide(bashCall(command)).Verdict == Allow
}

func (c cage) run(command string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bash, "--norc", "--noprofile", "-c", command)
	cmd.Dir = c.root()
	cmd.Env = []string{"PATH=" + c.bin, "HOME=" + c.home(), "LC_ALL=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	_ = cmd.Run() // many fail, and that is nothing: what changed counts
	return output.String()
}

// path returns a path, often one that leads astray.
func (g grammar) path() string {
	var segments []string
	for range 1 + g.IntN(3) {
		segments = append(segments, g.pick(
			"docs", "docs", "docs", "d", "d", "a", "b", "e", "k", "src", "s", "secrets", "up", "l", "zl", "f", "n", "out", "o", "..", "..", ".", "new", "new2",
			"flow.yaml", ".git", "config", ".env", "x.key", "id_rsa", "s*", "?", "*", "[a-s]", "k*", "{k,a}", "pub", "README",
		))
	}
	return g.pick("", "", "", "", "", "./", "~/", "~/../ws/", "$PWD/", "docs/", "docs/") + strings.Join(segments, g.pick("/", "/", "/", "//", "/./"))
}

// filing returns a list of commands that work on files.
func (g grammar) filing(depth int) string {
	if depth == 0 {
		return g.fileCommand()
	}
	sub := func() string { return g.filing(depth - 1) }
	join := func() string { return g.pick("; ", " && ", " || ", "\n", " | ", " & ") }
	switch g.IntN(8) {
	case 0:
		return sub() + join() + sub()
	case 1:
		return g.pick("cd ", "cd ", "cd -- ", "pushd ", "cd -P ") + g.path() + join() + sub()
	case 2:
		return "(" + sub() + ")" + join() + sub()
	case 3:
		return "for f in " + g.path() + " " + g.path() + "; do " + g.pick(sub(), "cat \"$f\"", "touch $f", "cd $f; cat k") + "; done"
	case 4:
		return "if " + sub() + "; then " + sub() + "; fi"
	}
	return g.fileCommand()
}

func (g grammar) fileCommand() string {
	a, b := g.path(), g.path()
	return g.pick(
		"cat "+a, "cat "+a+" "+b, "cat < "+a, "head -n1 "+a, "sed -n p "+a, "sort "+a, "sed -i s/x/y/ "+a, "sort -o "+a+" "+b, "while read l; do echo $l; break; done < "+a,
		"cp "+a+" "+b, "cp -t "+a+" "+b, "cp --target-directory="+a+" "+b, "cp -T "+a+" "+b, "cp -P "+a+" "+b, "cp -d "+a+" "+b, "cp -s "+a+" "+b, "cp --parents "+a+" "+b,
		"mv "+a+" "+b, "mv -t "+a+" "+b, "mv -n "+a+" "+b, "ln -s "+a+" "+b, "ln -sfn "+a+" "+b, "ln "+a+" "+b, "ln -sf -t "+a+" "+b, "ln -s "+a, "ln -sr "+a+" "+b,
		"mkdir "+a, "mkdir -p "+a, "touch "+a, "touch "+a+" "+b, "rm "+a, "rm -f "+a+" "+b, "rmdir "+a, "rmdir -p "+a, "tee "+a, "echo y | tee -a "+a+" "+b,
		"echo y > "+a, "echo y >> "+a, "echo y 2> "+a, "echo y &> "+a, "> "+a, "echo y >| "+a, "dd if="+a+" of="+b, "install "+a+" "+b, "install -D "+a+" "+b, "install -d "+a,
		"chmod +x "+a, "chmod 600 "+a+" "+b, "x="+a+"; cat $x", "cat $(echo "+a+")", "echo $(< "+a+")", "{ cat "+a+"; } > "+b, "env cat "+a, "timeout 5 tee "+a, "nice cp "+a+" "+b,
		"echo "+a+" | while read x; do cat $x; done", "bash -c 'cat "+a+"'", "eval 'echo y > "+a+"'", "exec 3< "+a, "mapfile < "+a+"; echo ${MAPFILE[0]}",
	)
}
