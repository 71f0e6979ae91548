package examples

import (
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

// TestCodeReview reviews the diff that is shipped.
func TestCodeReview(t *testing.T) {
	dir := clone(t)
	before := filesIn(t, dir)
	f := succeeds(t, dir, "run", "examples/code-review.yaml")
	after := filesIn(t, dir)
	const review = "examples/code-review/review.md"
	onlyWrote(t, before, after, func(path string) bool { return path == review })
	if got := after[review]; got != reviewed {
		t.Errorf("review.md:\n%s\nwant:\n%s", got, reviewed)
	}
	if want := "verdict: request_changes\ncomments: 3\nreview: review.md\n"; f.stdout != want {
		t.Errorf("printed %q, want %q", f.stdout, want)
	}
}

// TestCodeReviewOfCommits makes a repository of the shipped files, with the
// change as its last commit, and reviews that.
func TestCodeReviewOfCommits(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here to make a repository with")
	}
	dir := clone(t)
	repository := filepath.Join(dir, "examples", "code-review")
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
	succeeds(t, dir, "run", "examples/code-review.yaml", "-i", "base=before")
	if got := read(t, repository, "review.md"); got != reviewed {
		t.Errorf("review.md:\n%s\nwant:\n%s", got, reviewed)
	}
}

// TestCodeReviewBase refuses a base that git would take for an option.
func TestCodeReviewBase(t *testing.T) {
	f := flow(t, clone(t), "run", "examples/code-review.yaml", "-i", "base=--output=x")
	if f.code != 2 || !strings.Contains(f.stderr, "base") {
		t.Errorf("exit code %d\n%s", f.code, f.stderr)
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
