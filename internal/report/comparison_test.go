package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// compared is a comparison in which everything differs that can.
func compared() *view.Comparison {
	known := func(usd float64) runner.Cost { return runner.Cost{USD: usd, Known: true} }
	return &view.Comparison{
		Before: &view.Measured{Workflow: "docs", RunID: "r1", Status: "succeeded", Turns: 4, Calls: 3, Tokens: 2000, Cost: known(0.5), TookMS: 4000},
		After:  &view.Measured{Workflow: "docs", RunID: "r2", Status: "failed", Error: "budget", Turns: 3, Calls: 3, Denied: 1, Cached: 2, Tokens: 1500, Cost: known(0.25), TookMS: 6000},
		Files:  []string{"docs.yaml"},
		Inputs: []view.Difference{{Name: "root", Before: "a", After: nil}},
		Steps: []view.StepComparison{
			{Step: "pages", Before: &view.Measured{Status: "succeeded", Turns: 2, Cost: known(0), TookMS: 10}, After: &view.Measured{Status: "succeeded", Turns: 1, Cost: runner.Cost{}, TookMS: 20, Models: []string{"a/b"}},
				Elements: []view.Difference{{Name: "a.go", Before: "succeeded", After: "failed"}}, More: 7},
			{Step: "g/step-2", After: &view.Measured{Status: "skipped"}},
			{Step: "index", Before: &view.Measured{Status: "failed"}},
		},
		Outputs: []view.Difference{{Name: "n", Before: 2, After: 3}, {Name: "text", Before: "a\nb", After: "a\nc"}},
		Check:   &view.Verdict{Expression: "after.calls <= 2", Why: []workflows.Part{{Source: "after.calls", Value: 3}}},
	}
}

func TestComparison(t *testing.T) {
	want := `before: docs r1
after:  docs r2
the file docs.yaml differs

status                     succeeded  failed (budget used up)
turns                      4          3                        -1
cached                     0          2                        +2
calls                      3          3
denied                     0          1                        +1
tokens                     2,000      1,500                    -25%
cost                       $0.50      $0.25                    -50%
time                       4.0s       6.0s                     +50%
pages model                           a/b
pages turns                2          1                        -1
pages cost                 $0.00      unknown
pages a.go                 succeeded  failed
pages and 7 more elements
g/step-2 status                       skipped
index status               failed
input root                 a          (none)
output n                   2          3
output text                a\nb       a\nc

the check is false: after.calls <= 2
  after.calls is 3
`
	if diff := cmp.Diff(want, report.Comparison(compared())); diff != "" {
		t.Errorf("comparison (-want +got):\n%s", diff)
	}
}

// Runs that differ in nothing but their time say so, and a check that holds has no reason.
func TestComparisonOfTheSame(t *testing.T) {
	c := &view.Comparison{
		Before: &view.Measured{Workflow: "docs", RunID: "r1", Status: "succeeded"},
		After:  &view.Measured{Workflow: "docs", RunID: "r2", Status: "succeeded"},
		Check:  &view.Verdict{Expression: "true", Holds: true},
	}
	got := report.Comparison(c)
	for _, want := range []string{"\nthe steps of both runs are the same, except for their times\n", "\nthe check is true: true\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "cached") || strings.Contains(got, "hint:") || strings.Contains(got, "output") {
		t.Errorf("it has what does not differ:\n%s", got)
	}
}

func TestMarkdown(t *testing.T) {
	c := compared()
	c.Steps = c.Steps[:1]
	c.Outputs[0].After = "a | b `c`"
	want := "the check is **false**: `after.calls <= 2`\n\n" +
		"| `docs` | before | after | |\n|---|---|---|---|\n" +
		"| status | `succeeded` | `failed (budget used up)` |  |\n" +
		"| turns | `4` | `3` | -1 |\n| cached | `0` | `2` | +2 |\n| calls | `3` | `3` |  |\n| denied | `0` | `1` | +1 |\n" +
		"| tokens | `2,000` | `1,500` | -25% |\n| cost | `$0.50` | `$0.25` | -50% |\n| time | `4.0s` | `6.0s` | +50% |\n" +
		"| `pages model` |  | `a/b` |  |\n| `pages turns` | `2` | `1` | -1 |\n| `pages cost` | `$0.00` | `unknown` |  |\n" +
		"| `pages a.go` | `succeeded` | `failed` |  |\n| `pages and 7 more elements` |  |  |  |\n| `input root` | `a` | `(none)` |  |\n" +
		"| `output n` | `2` | `a \\| b 'c'` |  |\n| `output text` | `a\\nb` | `a\\nc` |  |\n"
	if diff := cmp.Diff(want, report.Markdown(c)); diff != "" {
		t.Errorf("markdown (-want +got):\n%s", diff)
	}
}
