package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCodebaseAnalysis finds the defects of the module beside the workflow, and
// changes nothing there.
func TestCodebaseAnalysis(t *testing.T) {
	dir := clone(t)
	before := filesIn(t, dir)
	f := succeeds(t, dir, "run", "examples/codebase-analysis.yaml", "-i", "root=examples/codebase-analysis")
	onlyWrote(t, before, filesIn(t, dir), func(string) bool { return false })
	const want = `report: # Findings

3 packages, 5 findings.

- **high** ` + "`store/store.go:17`" + ` ends the program of whoever calls it: panic(err)
- **medium** ` + "`store/store.go:20`" + ` drops an error: _ = json.Unmarshal(data, &s)
- **medium** ` + "`web/web.go:15`" + ` drops an error: n, _ := strconv.Atoi(r.FormValue("n"))
- **medium** ` + "`web/web.go:22`" + ` serves without any time limit: return http.ListenAndServe(address, nil)
- **low** ` + "`store/store.go:26`" + ` is unfinished: TODO: two callers at once
not_analysed: []
`
	if f.stdout != want {
		t.Errorf("printed\n%s\nwant\n%s", f.stdout, want)
	}
}

// TestCodebaseAnalysisOfThisModule runs on a repository that was not made for
// it: every package is judged.
func TestCodebaseAnalysisOfThisModule(t *testing.T) {
	dir := clone(t)
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
	dir := clone(t)
	script := filepath.Join(dir, "examples", "codebase-analysis.script.yaml")
	const broken = `steps:
  findings/2:
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
