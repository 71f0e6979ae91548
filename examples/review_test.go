package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const reviewed = `# Review

Changes are requested: see what is marked as blocking.

- ` + "`orders/orders.go:25`" + ` (blocking) ` + "`count, _ = strconv.Atoi(parts[1])`" + ` drops an error: bad input is taken for a zero.
- ` + "`orders/total.go:9`" + ` ` + "`if l.Count >= 10 {`" + ` has a number that nothing explains.
- ` + "`orders/total.go:10`" + ` ` + "`price -= price / 10`" + ` has a number that nothing explains.
`

// TestCodeReviewOfCommits makes a repository of the shipped files, with the
// change as its last commit, and reviews that.
func TestCodeReviewOfCommits(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here to make a repository with")
	}
	dir, repository := clone(t, "examples"), t.TempDir()
	if err := os.CopyFS(repository, os.DirFS(filepath.Join(dir, "examples", "code-review"))); err != nil {
		t.Fatal(err)
	}
	git := func(words ...string) {
		t.Helper()
		identity := []string{"-C", repository, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"}
		if out, err := exec.Command("git", append(identity, words...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", words, err, out)
		}
	}
	git("init", "-q")
	git("apply", "-R", "change.diff")
	git("add", "go.mod", "orders")
	git("commit", "-qm", "before")
	git("tag", "before")
	git("apply", "change.diff")
	git("commit", "-qam", "after")
	succeeds(t, dir, "run", "examples/code-review.yaml", "-i", "root="+repository, "-i", "base=before")
	if got := read(t, repository, "review.md"); got != reviewed {
		t.Errorf("review.md:\n%s\nwant:\n%s", got, reviewed)
	}
}

// TestCodeReviewOfOddChanges reviews a path with a blank and letters that git
// would quote, whatever git is configured to, and names what it did not review.
func TestCodeReviewOfOddChanges(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here to make a repository with")
	}
	dir := clone(t, "examples")
	workflow, repository := filepath.Join(dir, "examples", "code-review.yaml"), t.TempDir()
	out, err := exec.Command("bash", "-ec", `cd "$1"
git init -q -b main; git config user.name Ada; git config user.email ada@example.com; git config commit.gpgsign false
git config diff.noprefix true; git config color.ui always
mkdir module; cd module; echo 'package a' | tee 'ä b.go' >gone.go; echo x >moved.txt
git add .; git commit -qm before; git checkout -qb work
echo 'var x, _ = strconv.Atoi("x")' >>'ä b.go'; git rm -q gone.go; git mv moved.txt there.txt
git commit -qam after`, "bash", repository).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root := "root=" + filepath.Join(repository, "module")
	f := succeeds(t, dir, "run", workflow, "-i", root, "-i", "base=main")
	want := `verdict: request_changes
comments: 1
review: review.md
not_reviewed: ["a/gone.go b/gone.go","a/moved.txt b/there.txt"]
`
	if f.stdout != want || !strings.Contains(read(t, repository, "module", "review.md"), "`ä b.go:2` (blocking)") {
		t.Errorf("it printed\n%s\nand wrote\n%s", f.stdout, read(t, repository, "module", "review.md"))
	}
	if f := flow(t, dir, "run", workflow, "-i", root, "-i", "base=work"); f.code != 0 || f.stdout != "verdict: \ncomments: 0\nreview: \nnot_reviewed: []\n" {
		t.Errorf("nothing to review: exit code %d, %q", f.code, f.stdout)
	}
	if f := flow(t, dir, "run", workflow, "-i", root, "-i", "base=nosuch"); f.code != 1 || !strings.Contains(f.stderr, "there is no commit nosuch here") || strings.Contains(f.stdout, "review.md") {
		t.Errorf("no such base: exit code %d, %q\n%s", f.code, f.stdout, f.stderr)
	}
}

// TestCodeReviewNarrows asks what the workflow and the one that it uses may do:
// the used one less.
func TestCodeReviewNarrows(t *testing.T) {
	for _, test := range []struct{ step, tool, argument, want string }{
		{"review", "write", "review.md", "allow"},
		{"files/judge", "write", "review.md", "deny"},
		{"review", "read", "orders/testdata/x", "allow"},
		{"files/judge", "read", "orders/testdata/x", "deny"},
		{"review", "read", "orders/orders.go", "allow"},
		{"files/judge", "read", "orders/orders.go", "allow"},
		{"files/judge", "read", ".env", "deny"},
	} {
		t.Run(test.step+" "+test.tool+" "+test.argument, func(t *testing.T) {
			f := succeeds(t, "..", "explain", "examples/code-review.yaml", "--step", test.step, test.tool, test.argument)
			if got, _, _ := strings.Cut(f.stdout, "\n"); got != test.want {
				t.Errorf("%s, want %s", f.stdout, test.want)
			}
		})
	}
}
