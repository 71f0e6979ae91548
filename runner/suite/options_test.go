package suite_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/suite"
)

// threeCases are a case that passes, one that does not, and another that passes.
const threeCases = `
-- flow.yaml --
name: three
inputs: {word: {type: string, default: hi}}
steps: [{id: say, run: "echo ${{ inputs.word }}"}]
outputs: {said: "${{ steps.say.text }}"}
-- a.test.yaml --
workflow: flow.yaml
cases:
  - {name: aAzZ & 09, expect: {outputs: {said: hi}}}
  - {name: two, expect: {outputs: {said: ho}}}
-- b.test.yaml --
workflow: flow.yaml
cases: [{name: three, expect: {status: succeeded}}]
`

// TestOptions: which cases run, how often, and of which the folders are kept.
func TestOptions(t *testing.T) {
	only := func(pattern string) suite.Options { return suite.Options{Only: regexp.MustCompile(pattern)} }
	for _, tt := range []struct {
		name    string
		options suite.Options
		want    string // the outcomes, in order
		kept    string // the folders of cases
	}{
		{"all", suite.Options{}, "aAzZ & 09: ok, two: FAILED, three: ok", "2-two"},
		{"one after the other", suite.Options{Parallel: 1}, "aAzZ & 09: ok, two: FAILED, three: ok", "2-two"},
		{"by the file", only("^b"), "three: ok", ""},
		{"by the name", only("t[hw]"), "two: FAILED, three: ok", "1-two"},
		{"by both", only(`^a\.test\.yaml: two$`), "two: FAILED", "1-two"},
		{"none", only("four"), "", ""},
		{"no more after a failure", suite.Options{Parallel: 1, FailFast: true}, "aAzZ & 09: ok, two: FAILED, three: skipped", "2-two"},
		{"twice", suite.Options{Only: regexp.MustCompile("^b"), Times: 2}, "three: ok, three: ok", ""},
		{"kept", suite.Options{Keep: true}, "aAzZ & 09: ok, two: FAILED, three: ok", "1-aAzZ---09 2-two 3-three"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			layOut(t, txtar.Parse([]byte(threeCases)).Files)
			var told []string
			tt.options.Observe = func(o *suite.Outcome) {
				word := map[bool]string{true: "ok", false: "FAILED"}[o.Passed()]
				if o.Skipped {
					word = "skipped"
				}
				told = append(told, o.Name+": "+word)
			}
			s, mistakes := suite.Load([]string{"."}, tt.options)
			if mistakes.HasErrors() {
				t.Fatal(mistakes)
			}
			outcomes, err := s.Run(t.Context())
			if err != nil || len(outcomes) != len(told) {
				t.Fatalf("%d outcomes, %d were told, %v", len(outcomes), len(told), err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(told, ", "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := strings.Join(kept(t), " "); got != tt.kept {
				t.Errorf("kept are %s, want %s", got, tt.kept)
			}
			for _, o := range outcomes {
				if _, err := os.Stat(filepath.Join(o.Dir, "run")); o.Dir != "" && err != nil {
					t.Errorf("%s: %v", o.Name, err)
				}
			}
		})
	}
}

// kept lists the folders of cases that are still there.
func kept(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(os.TempDir(), "flow-test-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, dir := range all {
		all[i] = filepath.Base(dir)
	}
	return all
}

// TestExit: the exit code is that of the run, or of what kept it from running. Whatever
// else is expected of a run that there was not fails.
func TestExit(t *testing.T) {
	layOut(t, txtar.Parse([]byte(`
-- flow.yaml --
name: exit
inputs: {word: {type: string}}
steps: [{id: say, run: "test ${{ inputs.word }} = hi"}]
-- a.test.yaml --
workflow: flow.yaml
cases:
  - {name: as expected, inputs: {word: hi}, expect: {exit: 0}}
  - {name: fails, inputs: {word: ho}, expect: {exit: 1}}
  - {name: another, inputs: {word: ho}, expect: {exit: 0}}
  - {name: nothing runs, files: {a: x, a/b: y}, inputs: {word: hi}, expect: {exit: 2}}
  - {name: but a status was expected, files: {a: x, a/b: y}, inputs: {word: hi}, expect: {exit: 2, status: failed}}
`)).Files)
	s, mistakes := suite.Load([]string{"a.test.yaml"}, suite.Options{Exit: func(r *runner.Result, err error) int {
		switch {
		case err != nil:
			return 2
		case r.Error != nil:
			return 1
		}
		return 0
	}})
	if mistakes.HasErrors() {
		t.Fatal(mistakes)
	}
	outcomes, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range outcomes {
		line := o.Name + ":"
		for _, f := range o.Failures {
			line += " " + f.What
		}
		got = append(got, line)
	}
	want := []string{"as expected:", "fails:", "another: the exit code is 1, but the case expects 0", "nothing runs:", "but a status was expected: nothing ran, so that nothing of what is expected can be compared"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// TestInterrupted: a case that is cut off fails, and those after it are skipped.
func TestInterrupted(t *testing.T) {
	layOut(t, txtar.Parse([]byte(threeCases)).Files)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	cover := new(suite.Coverage)
	s, mistakes := suite.Load([]string{"."}, suite.Options{Parallel: 1, Cover: cover, Exit: func(*runner.Result, error) int { interrupt(); return 0 }})
	if mistakes.HasErrors() {
		t.Fatal(mistakes)
	}
	outcomes, err := s.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		if o.Skipped != (i > 0) || o.Passed() {
			t.Errorf("%s: skipped %v, passed %v", o.Name, o.Skipped, o.Passed())
		}
	}
	if points := cover.Points(); len(points) != 1 || !points[0].Reached {
		t.Errorf("reached: %+v", points)
	}
}

// TestCoverageOfWorkflowsWhoseCasesDoNotRun: what they might reach is listed all the same.
func TestCoverageOfWorkflowsWhoseCasesDoNotRun(t *testing.T) {
	layOut(t, txtar.Parse([]byte(threeCases)).Files)
	cover := new(suite.Coverage)
	s, mistakes := suite.Load([]string{"."}, suite.Options{Only: regexp.MustCompile("none"), Cover: cover})
	if mistakes.HasErrors() {
		t.Fatal(mistakes)
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if points := cover.Points(); len(points) != 1 || points[0].Reached || points[0].What != `no test runs the step "say"` {
		t.Errorf("points: %+v", points)
	}
}

// TestSecretsOfCases: a secret is shown in no failure, however it comes into one, and
// is not written into golden files.
func TestSecretsOfCases(t *testing.T) {
	const secret = "tok-5f2e9c"
	layOut(t, txtar.Parse([]byte(`
-- flow.yaml --
name: secret
secrets: [TOKEN]
steps:
  - {id: say, run: "echo $TOKEN | tee said.txt; echo $TOKEN 1>&2; exit 3", on_error: continue}
outputs: {said: "${{ steps.say.text }}", all: "${{ [steps.say.text, 1] }}"}
-- a.test.yaml --
workflow: flow.yaml
cases:
  - name: shown
    expect: {outputs: {said: x, all: [x]}, files: {said.txt: x, none.txt: x}, text: {contains: x, matches: x$}}
  - name: written
    expect: {files: {said.txt: {equals_file: golden.txt}}}
`)).Files)
	s, mistakes := suite.Load([]string{"a.test.yaml"}, suite.Options{
		Update: true, Environment: host.Environment{Lookup: func(name string) (string, bool) { return secret, name == "TOKEN" }},
	})
	if mistakes.HasErrors() {
		t.Fatal(mistakes)
	}
	outcomes, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	masked := 0
	for _, f := range outcomes[0].Failures {
		masked += strings.Count(f.Text(), "***")
		if strings.Contains(f.Text(), secret) {
			t.Errorf("the secret is shown: %s", f.Text())
		}
	}
	if masked < 5 || !outcomes[1].Passed() {
		t.Errorf("hidden %d times; written: %v", masked, outcomes[1].Failures)
	}
	data, err := os.ReadFile("golden.txt")
	if err != nil || strings.Contains(string(data), secret) || !strings.Contains(string(data), "***") {
		t.Errorf("golden.txt is written: %s, %v", data, err)
	}
}
