package runner

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/google/go-cmp/cmp"
)

// Every unit that works is a job, whoever does it: a run whose jobs are done elsewhere, here by a
// function of its own, comes to the same, and each attempt is given away once.
func TestJobsAreDoneElsewhere(t *testing.T) {
	first := newJourney(t, "")
	first.run(everything)
	want := comparable(first.resultIn(filepath.Join(first.dir, "run")))

	there := newJourney(t, "")
	var mu sync.Mutex
	jobs := map[journal.Address]int{}
	change := there.change
	there.change = func(o *Options) {
		change(o)
		o.Execute = func(ctx context.Context, j Job) (steps.Result, error) {
			mu.Lock()
			jobs[j.Unit]++
			mu.Unlock()
			return j.Run(ctx)
		}
	}
	there.run(everything)
	if diff := cmp.Diff(want, comparable(there.resultIn(filepath.Join(there.dir, "run")))); diff != "" {
		t.Errorf("(-here +there)\n%s", diff)
	}
	began := map[journal.Address]int{}
	for line := range strings.Lines(there.read(filepath.Join(there.dir, "run"))) {
		r, err := journal.ParseRecord([]byte(strings.TrimSuffix(line, "\n")))
		works := err == nil && r.Kind == journal.Began && strings.Contains(line, `"data":{"kind":`)
		if works && !strings.Contains(line, `"data":{"kind":"uses"`) && !strings.Contains(line, `"data":{"kind":"ask"`) {
			began[r.Unit]++
		}
	}
	if diff := cmp.Diff(began, jobs); diff != "" || len(jobs) < 20 {
		t.Errorf("%d jobs (-began +given away)\n%s", len(jobs), diff)
	}
}
