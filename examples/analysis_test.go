package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCodebaseAnalysisOfThisModule runs on a repository that was not made for
// it: every package is judged.
func TestCodebaseAnalysisOfThisModule(t *testing.T) {
	dir := clone(t, ".")
	f := succeeds(t, dir, "run", "examples/codebase-analysis.yaml")
	if !strings.Contains(f.stdout, "not_analysed: []") || !strings.Contains(f.stdout, "# Findings") {
		t.Errorf("printed\n%s\n%s", f.stdout, f.stderr)
	}
	r, _ := lastRun(t, dir)
	if got, want := len(r.Steps["findings"].Results), len(packagesOf(t, dir)); got != want {
		t.Errorf("%d of %d packages were judged", got, want)
	}
}

// TestCodebaseAnalysisContinues has the model fail for one package: the others
// are judged, and the result says which one is missing.
func TestCodebaseAnalysisContinues(t *testing.T) {
	dir := clone(t, "examples")
	script := filepath.Join(dir, "examples", "codebase-analysis.script.yaml")
	const broken = `steps:
  findings[2]:
    - error: {status: 400, message: not today}
`
	whole := strings.Replace(read(t, script), "steps:\n", broken, 1)
	if err := os.WriteFile(script, []byte(whole), 0o644); err != nil {
		t.Fatal(err)
	}
	f := succeeds(t, dir, "run", "examples/codebase-analysis.yaml", "-i", "root=examples/codebase-analysis")
	for _, want := range []string{"2 packages, 3 findings.", `not_analysed: ["example.com/inventory/web"]`} {
		if !strings.Contains(f.stdout, want) {
			t.Errorf("printed\n%s\nwithout %q", f.stdout, want)
		}
	}
	r, _ := lastRun(t, dir)
	if e := r.Steps["findings"].Results[2].Error; e.Kind != "provider" || !strings.Contains(e.Message, "not today") {
		t.Errorf("the error of the third package is %+v", e)
	}
}
