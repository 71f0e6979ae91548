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
	before := filesIn(t, repository)
	f := flow(t, dir, "run", "examples/code-review.yaml", "-i", "root="+repository, "-i", "base=before")
	if f.code != 1 || !strings.Contains(f.stdout, reviewed) || !strings.Contains(f.stderr, `flow: step "gate" failed: exit status 1: changes are requested`) {
		t.Errorf("exit code %d:\n%s%s\nwant:\n%s", f.code, f.stdout, f.stderr, reviewed)
	}
	onlyWrote(t, before, filesIn(t, repository), func(string) bool { return false })
}

// TestCodeReviewGate: which comments make the run fail is the caller's choice, and all of them
// are findings.
func TestCodeReviewGate(t *testing.T) {
	dir := clone(t, "examples")
	for _, test := range []struct {
		failOn string
		code   int
	}{{"blocking", 1}, {"comment", 1}, {"nothing", 0}} {
		f := flow(t, dir, "run", "examples/code-review.yaml", "-i", "fail_on="+test.failOn, "--sarif", "found.sarif")
		if f.code != test.code {
			t.Errorf("%s: exit code %d, want %d\n%s", test.failOn, f.code, test.code, f.stderr)
		}
		found := read(t, dir, "found.sarif")
		if errors, warnings := strings.Count(found, `"level": "error"`), strings.Count(found, `"level": "warning"`); errors != 1 || warnings != 2 {
			t.Errorf("%s: %d errors and %d warnings\n%s", test.failOn, errors, warnings, found)
		}
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
	f := flow(t, dir, "run", workflow, "-i", root, "-i", "base=main")
	const want = `not_reviewed: ["a/gone.go b/gone.go","a/moved.txt b/there.txt"]`
	if f.code != 1 || !strings.HasPrefix(f.stdout, want) || !strings.Contains(f.stdout, "`ä b.go:2` (blocking)") {
		t.Errorf("exit code %d, it printed\n%s", f.code, f.stdout)
	}
	if f := flow(t, dir, "run", workflow, "-i", root, "-i", "base=work"); f.code != 0 || f.stdout != "not_reviewed: []\nreview: \n" {
		t.Errorf("nothing to review: exit code %d, %q", f.code, f.stdout)
	}
	if f := flow(t, dir, "run", workflow, "-i", root, "-i", "base=nosuch"); f.code != 1 || !strings.Contains(f.stderr, "there is no commit nosuch here") {
		t.Errorf("no such base: exit code %d, %q\n%s", f.code, f.stdout, f.stderr)
	}
}

// TestCodeReviewNarrows asks what the workflow that is used may do: less than its caller.
func TestCodeReviewNarrows(t *testing.T) {
	for _, test := range []struct{ step, tool, argument, want string }{
		{"files/judge", "write", "review.md", "deny"},
		{"files/judge", "read", "orders/testdata/x", "deny"},
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
