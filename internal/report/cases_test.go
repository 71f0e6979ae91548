package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/suite"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func costing(usd float64, known bool) *runner.Result {
	return &runner.Result{Cost: runner.Cost{USD: usd, Known: known}}
}

// outcomes are one of each kind.
func outcomes() []*suite.Outcome {
	failure := suite.Failure{
		Pos: workflows.Position{File: "a.test.yaml", Line: 3, Column: 5}, What: "files: a.md differs\x1b[2J",
		Notes: []string{"it was written by pages"}, Diff: " same\n-old\n+new\n",
	}
	return []*suite.Outcome{
		{File: "a.test.yaml", Name: "good", Took: 2 * time.Second, Result: costing(0.25, true)},
		{File: "a.test.yaml", Name: "bad", Took: time.Second, Result: costing(0.5, true), Dir: "/k", Failures: []suite.Failure{failure}},
		{File: "a.test.yaml", Name: "stopped", Dir: "/k", Failures: []suite.Failure{{What: "the workflow has mistakes"}}},
		{File: "a.test.yaml", Name: "later", Skipped: true},
	}
}

func TestCase(t *testing.T) {
	failed := `FAILED  a.test.yaml: bad (1.0s)
  a.test.yaml:3:5: files: a.md differs\x1b[2J
      it was written by pages
       same
      -old
      +new
  details: flow show /k/run
  workspace: /k/workspace
FAILED  a.test.yaml: stopped (0.0s)
  the workflow has mistakes
  workspace: /k/workspace
`
	for verbose, want := range map[bool]string{false: failed, true: "ok  a.test.yaml: good (2.0s)\n" + failed} {
		var out strings.Builder
		for _, o := range outcomes() {
			report.Cases{To: &out, Verbose: verbose}.Case(o)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("verbose %v (-want +got):\n%s", verbose, diff)
		}
	}
	var out strings.Builder
	report.Cases{To: &out, Paint: term.Painter{On: true}}.Case(outcomes()[1])
	for _, want := range []string{"\x1b[31mFAILED\x1b[0m  a", "\n      -old\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}

func TestSuite(t *testing.T) {
	all := outcomes()
	again := []*suite.Outcome{all[0], all[0], {File: "a.test.yaml", Name: "good", Result: costing(0.25, true), Failures: make([]suite.Failure, 1)}, all[3]}
	unpriced := []*suite.Outcome{{File: "b.test.yaml", Name: "x", Result: costing(0, false)}}
	tests := []struct {
		name     string
		outcomes []*suite.Outcome
		live     bool
		want     string
	}{
		{"all passed", all[:1], false, "1 case passed in 3.0s\n"},
		{"one did not run", []*suite.Outcome{all[0], all[3]}, false, "1 case passed in 3.0s, 1 did not run\n"},
		{"some failed", all, false, "2 of 4 cases failed in 3.0s, 1 did not run\n"},
		{"how often each held", again, true, "2 of 3 passed  a.test.yaml: good\n0 of 0 passed  a.test.yaml: later\ncost: $0.75\n1 of 4 cases failed in 3.0s, 1 did not run\n"},
		{"a price that nobody knows", unpriced, true, "1 of 1 passed  b.test.yaml: x\ncost: unknown\n1 case passed in 3.0s\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, report.Suite(tt.outcomes, tt.live, nil, 3*time.Second)); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}
