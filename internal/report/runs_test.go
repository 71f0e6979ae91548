package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/steps"
)

func TestRuns(t *testing.T) {
	began := time.Date(2026, 11, 22, 10, 30, 0, 0, time.Local)
	runs := []*view.Summary{
		{Folder: "/w/.flow/runs/r4", Workflow: "docs", State: "succeeded", InPart: true, Began: began, Took: 90 * time.Second, Cost: runner.Cost{USD: 0.5, Known: true}},
		{Folder: "/w/.flow/runs/r3", Workflow: "docs\x1b[2J", State: view.CutOff, Began: began, Took: time.Second},
		{Folder: "/w/.flow/runs/r2", Workflow: strings.Repeat("long", 20), State: "failed", Began: began, Failed: &view.Trouble{Unit: "pages[3]", Label: "a.go", Error: steps.Error{Message: "it broke\nbadly"}}},
		{Folder: "/w/.flow/runs/r1", Broken: "open /w/.flow/runs/r1/journal.jsonl: permission denied"},
	}
	want := `RUN  WORKFLOW                                  STATE              BEGAN             TOOK   COST     FAILED FIRST
r4   docs                                      succeeded in part  2026-11-22 10:30  1m30s  $0.50
r3   docs\x1b[2J                               cut off            2026-11-22 10:30  1.0s   unknown
r2   longlonglonglonglonglonglonglonglonglon…  failed             2026-11-22 10:30  0.0s   unknown  pages[3] (a.go): it broke: badly
r1                                             unreadable         unknown                           journal.jsonl: permission denied
`
	if diff := cmp.Diff(want, report.Runs(runs, "/w", false, 0)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	for chosen, want := range map[bool]string{
		true:  "no matching runs under /w\n",
		false: "no runs under /w; to show a run in another folder: flow show FOLDER\n",
	} {
		if got := report.Runs(nil, "/w", chosen, 0); got != want {
			t.Errorf("none, chosen %v: %q, want %q", chosen, got, want)
		}
	}
}
