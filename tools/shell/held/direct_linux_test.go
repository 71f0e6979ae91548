package held

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDirect: what a server changes in the folders that it may is changed at once, and the rest of
// the workspace, what is hidden there and what never changes stay as they are.
func TestDirect(t *testing.T) {
	beside := realDir(t)
	f := newFixture(t, SpaceOptions{
		Hidden: func(path string, folder bool) bool { return hidesKeys(path, folder) || filepath.Base(path) == "config" },
		Others: []string{beside},
	})
	f.space.o.Protected = []string{filepath.Join(f.root, "out/flow.yaml"), filepath.Join(f.root, "out/flow.lock")}
	f.write(map[string]string{
		"a": "a", ".env": "secret", "out/a": "a", "out/.env": "secret", "out/flow.yaml": "name", "out/x/.git/config": "[core]", "out/x/.git/HEAD": "ref",
		"one": "one", ".git/config": "[core]", ".git/HEAD": "ref", ".flow/r": "r",
	})
	must(t, os.Symlink("../.env", filepath.Join(f.root, "out/link.env")))
	script := `cat a .env out/a out/.env out/link.env out/x/.git/config
for f in a new out/a out/new one .env out/.env out/flow.yaml .git/HEAD .git/new .flow/r out/x/.git/HEAD out/x/.git/new ` + beside + `/new ~/new; do
	{ echo x > $f; } 2>/dev/null && echo $f
done
rm -f out/.env out/flow.yaml 2>/dev/null
mv out/a out/b && mkdir out/made && echo x > /tmp/x && cat /tmp/x`
	o, out := f.do(Call{ReadOnly: true, Direct: []string{filepath.Join(f.root, "out"), filepath.Join(f.root, "one"), filepath.Join(f.root, ".git"), filepath.Join(f.root, ".env"), filepath.Join(f.root, "no"), beside, f.home}}, script, anything, false)
	if want := "aaout/a\nout/new\none\n" + beside + "/new\nx\n"; out != want || o.Note() != "" {
		t.Errorf("got %q, want %q: %+v", out, want, o)
	}
	const want = ".env = secret\n.flow/\n.flow/r = r\n.git/\n.git/HEAD = ref\n.git/config = [core]\na = a\none = x\nout/\nout/.env = secret\nout/b = x\nout/flow.yaml = name\n" +
		"out/link.env -> ../.env\nout/made/\nout/new = x\nout/x/\nout/x/.git/\nout/x/.git/HEAD = ref\nout/x/.git/config = [core]\n"
	if got := f.tree(); got != want {
		t.Errorf("the workspace:\n%s", got)
	}

	_, out = f.do(Call{ReadOnly: true, Direct: []string{f.root}}, `for f in a new .env .git/HEAD .git/new .flow/r out/flow.yaml; do { echo all > $f; } 2>/dev/null && echo $f; done; mv out moved; cat moved/.env moved/flow.yaml`, anything, false)
	if want := "a\nnew\nname"; out != want {
		t.Errorf("with the whole workspace: got %q, want %q", out, want)
	}
}
