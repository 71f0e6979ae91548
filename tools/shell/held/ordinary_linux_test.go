package held

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOrdinaryWork: what agents do all day works without a word, and lands. What compiles
// and sets up environments is in TestHeldWork of cmd/flow.
func TestOrdinaryWork(t *testing.T) {
	tests := []struct {
		name, program, script string
		git                   bool
		want                  string // a path that has landed
		bad                   string // one that has not
	}{
		{"a commit", "git", "git add -A && git -c user.name=a -c user.email=a@b commit -qm one && git log --oneline | wc -l", true, ".git/refs/heads/main", ""},
		{"npm install of a folder", "npm", "mkdir p; echo '{\"name\":\"p\",\"version\":\"1.0.0\"}' > p/package.json; echo '{\"name\":\"x\",\"version\":\"1.0.0\"}' > package.json; npm install --offline --no-audit --no-fund ./p", false, "package.json", ""},
		{"an archive", "tar", "tar czf a.tgz src && mkdir out && tar xzf a.tgz -C out", false, "out/src/x.go", ""},
		{"sed in place", "sed", "sed -i 's/x/y/' src/x.go && grep y src/x.go", false, "src/x.go", ""},
		{"a tree is deleted", "rm", "rm -rf src", false, "", "src"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := exec.LookPath(test.program); err != nil {
				t.Skipf("there is no %s", test.program)
			}
			f := newFixture(t, SpaceOptions{})
			f.write(map[string]string{"src/x.go": "package x\n", "src/x_test.go": "package x\nimport \"testing\"\nfunc TestX(*testing.T) {}\n"})
			if _, err := exec.LookPath("git"); err == nil {
				init := exec.Command("git", "init", "-q", "-b", "main", f.root)
				init.Env = append(os.Environ(), "HOME="+f.home)
				must(t, init.Run())
			}
			o, out := f.do(Call{Git: test.git}, test.script+" && echo all done", anything, false)
			if !strings.Contains(out, "all done") || o.Note() != "" {
				t.Errorf("%s\n%s", out, o.Note())
			}
			if _, err := os.Stat(filepath.Join(f.root, test.want)); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(filepath.Join(f.root, test.bad)); test.bad != "" && err == nil {
				t.Errorf("%s is still there", test.bad)
			}
		})
	}
}

// TestManyFiles: they land, all of them.
func TestManyFiles(t *testing.T) {
	f := newFixture(t, SpaceOptions{})
	if o, _ := f.do(Call{}, "mkdir d; cd d; seq 10000 | split -l 1 -a 4 - f", anything, false); o.Landed != 10_001 {
		t.Errorf("%+v", o)
	}
}
