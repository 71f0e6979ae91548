package examples

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFixUntilGreen repairs the module in a copy. Its first repair does not
// compile, so that the check has to send the model back.
func TestFixUntilGreen(t *testing.T) {
	dir := clone(t, "examples")
	broken := filepath.Join(dir, "examples", "fix-until-green")
	if f := start(t, broken, "go", "test", "./..."); f.code == 0 {
		t.Fatal("the module's tests pass before anything is repaired")
	}
	before := filesIn(t, dir)
	f := succeeds(t, dir, "run", "examples/fix-until-green.yaml")
	onlyWrote(t, before, filesIn(t, dir), func(path string) bool { return strings.HasPrefix(path, "build/fix-until-green/") })

	fixed := filepath.Join(dir, "build", "fix-until-green")
	if f := start(t, fixed, "go", "test", "./..."); f.code != 0 {
		t.Errorf("the tests of the repaired module:\n%s", f.stdout)
	}
	if read(t, fixed, "stats_test.go") != read(t, broken, "stats_test.go") {
		t.Error("the tests were changed")
	}
	for _, want := range []string{"-\treturn float64(sum / len(values))\n", "+\treturn float64(sum) / float64(len(values))\n", "+\tmiddle := len(sorted) / 2\n"} {
		if !strings.Contains(f.stdout, want) {
			t.Errorf("the changes lack %q:\n%s", want, f.stdout)
		}
	}
	checkRepairs(t, dir)
}

// checkRepairs looks at how the module was repaired: in three rounds, with one
// answer of the model sent back.
func checkRepairs(t *testing.T, dir string) {
	t.Helper()
	r, folder := lastRun(t, dir)
	if got := r.Steps["repair"].Rounds; got != 3 {
		t.Errorf("%d rounds, want 3", got)
	}
	journal := read(t, folder, "journal.jsonl")
	if got := strings.Count(journal, "sent back to the model (1 of 3)"); got != 1 {
		t.Errorf("the model was sent back %d times, want once\n%s", got, journal)
	}
	if !strings.Contains(journal, "mismatched types float64 and int") {
		t.Error("the journal lacks the compiler's words, which the model was to get")
	}
}

// TestFixUntilGreenVet repairs a module in whose tests, which stay as they are, go vet finds
// something.
func TestFixUntilGreenVet(t *testing.T) {
	dir := clone(t, "examples")
	broken := filepath.Join(dir, "examples", "fix-until-green")
	write(t, broken, "vet_test.go", "package stats\n\nimport \"testing\"\n\nfunc TestVet(t *testing.T) {\n\tn := 1\n\tn = n\n\t_ = n\n}\n")
	if f := start(t, broken, "go", "vet", "./..."); f.code == 0 {
		t.Fatal("go vet finds nothing")
	}
	succeeds(t, dir, "run", "examples/fix-until-green.yaml")
}

// TestFixUntilGreenRules asks what the repair may touch: the code, not the
// tests, and only in the copy.
func TestFixUntilGreenRules(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"build/fix-until-green/stats.go", "allow"},
		{"build/fix-until-green/stats_test.go", "deny"},
		{"examples/fix-until-green/stats.go", "deny"},
		{"build/fix-until-green/go.mod", "deny"},
	} {
		t.Run(test.path, func(t *testing.T) {
			f := succeeds(t, "..", "explain", "examples/fix-until-green.yaml", "--step", "repair/fix", "edit",
				`{"filePath": "`+test.path+`", "oldString": "a", "newString": "b"}`)
			if got, _, _ := strings.Cut(f.stdout, "\n"); got != test.want {
				t.Errorf("%s, want %s", f.stdout, test.want)
			}
		})
	}
}
