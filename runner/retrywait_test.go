package runner

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// The time of a group runs on while it waits for another attempt.
func TestAGroupDoesNotOutwaitItsTime(t *testing.T) {
	tr := newTrial(t)
	synctest.Test(t, func(t *testing.T) {
		tr.ctx = t.Context()
		tr.answer = func(ctx context.Context, req providers.Request) (providers.Message, error) {
			return providers.Message{}, &providers.Error{Kind: providers.KindOverloaded}
		}
		began := time.Now()
		r := tr.run("name: t\nmodel: fake/one\nsteps: [{id: g, timeout: 1m, retry: {max_attempts: 3, backoff: 10m, max_backoff: 20m}, steps: [{id: a, prompt: a}]}]\n")
		if took := time.Since(began); took > time.Minute || r.Status != steps.Stopped || !strings.Contains(r.Error.Message, "timeout after 1m0s") {
			t.Errorf("%v: %s %v", took, r.Status, r.Error)
		}
	})
}

// The wait before an attempt ends with the time of the run, also in a later process.
func TestAWaitEndsWithTheTimeOfTheRun(t *testing.T) {
	for _, step := range []string{"prompt: a", "steps: [{id: a, prompt: a}]"} {
		tr := newTrial(t)
		source := "name: t\nmodel: fake/one\nbudget: {time: 1m}\nsteps: [{id: g, retry: {max_attempts: 3, backoff: 10m, max_backoff: 20m}, " + step + "}]\n"
		tr.answer = func(ctx context.Context, req providers.Request) (providers.Message, error) {
			return providers.Message{}, &providers.Error{Kind: providers.KindOverloaded}
		}
		synctest.Test(t, func(t *testing.T) {
			tr.ctx = t.Context()
			began := time.Now()
			r := tr.run(source)
			if took := time.Since(began); took > time.Minute || r.Status != steps.Stopped {
				t.Errorf("%s: %v: %s %v", step, took, r.Status, r.Error)
			}
			lines := strings.SplitAfter(tr.file("run/journal.jsonl"), "\n")
			n := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, `"kind":"again"`) })
			dir := cutTo(t, filepath.Join(tr.dir, "run"), n+1)
			tr.change = func(o *Options) { o.Dir, o.Resume = dir, &Resumption{} }
			began = time.Now()
			r, err := tr.try(source)
			if took := time.Since(began); took > time.Minute || r.Status != steps.Stopped {
				t.Errorf("%s, resumed: %v: %s %v, %v", step, took, r.Status, r.Error, err)
			}
		})
	}
}
