package runner

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// An element that gave up its place, and wants it again, holds no slot while it waits for it.
func TestWhoWaitsForAPlaceHoldsNoSlot(t *testing.T) {
	for _, condition := range []string{"", `if: "true", `} {
		tr := newTrial(t)
		tr.change = func(o *Options) {
			o.MaxParallel = 1
			o.Question = func(ctx context.Context, q *Question) (any, error) {
				untilExists(ctx, filepath.Join(tr.dir, "done0-1"))
				return "yes", ctx.Err()
			}
		}
		r := tr.run(`
name: places
steps:
  - id: pages
    foreach: ["0-1", "1-1"]
    max_parallel: 1
    steps:
      - {id: sure, ask: "Sure?", choices: ["yes", "no"]}
      - {id: first, needs: [], run: "sleep 0.2"}
      - {id: second, needs: [first], ` + condition + `run: "sleep 0.1"}
      - {id: third, needs: [second], run: "touch done${{ item }}"}
`)
		if r.Status != steps.Succeeded {
			t.Errorf("with %q: %s, %v", condition, r.Status, r.Error)
		}
	}
}

// untilExists waits until a file is there, or ctx ends.
func untilExists(ctx context.Context, path string) {
	for ctx.Err() == nil {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// An element gets its place back only if what wanted that has not ended meanwhile.
func TestWhatHasEndedTakesNoPlace(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) {
		o.Question = func(ctx context.Context, q *Question) (any, error) {
			if q.Wait.Question == "Sure of 0?" {
				untilExists(ctx, filepath.Join(tr.dir, "late"))
			}
			return "yes", ctx.Err()
		}
	}
	r := tr.run(`
name: places
steps:
  - id: pages
    foreach: [0, 1, 2]
    max_parallel: 1
    on_error: continue
    steps:
      - {id: begun, run: "sleep 0.05"}
      - {id: sure, if: "item == 0", ask: "Sure of ${{ item }}?", choices: ["yes", "no"]}
      - {id: first, needs: [], run: "sleep 0.2"}
      - id: late
        needs: [first]
        timeout: 300ms
        steps: [{id: last, if: "item == 0", run: "true"}]
      - {id: long, needs: [], if: "item > 0", run: "sleep 0.6; test ${{ item }} -ne 2 || touch late"}
`)
	if got := r.Steps[0].Counts; got == nil || got.Succeeded != 2 {
		t.Errorf("%s, %+v", statuses(r), got)
	}
}

// A unit whose call waits for a person who is there has no slot meanwhile.
func TestACallThatWaitsHasNoSlot(t *testing.T) {
	p := newDeploy(t)
	const source = "name: d\nmodel: fake/one\nsteps: [{id: go, prompt: p, tools: [deploy]}, {id: beside, needs: [], on_error: continue, run: test -e ok && touch ran}]"
	change := p.change
	p.change = func(o *Options) { change(o); o.MaxParallel = 1 }
	p.run(source)
	p.write("ok", "")
	p.change = func(o *Options) {
		change(o)
		o.MaxParallel, o.Resume.Failed = 1, true
		o.AskAgain = func(ctx context.Context, _ string, _ json.RawMessage, _ tools.Decision) (tools.Decision, error) {
			untilExists(ctx, filepath.Join(p.dir, "ran"))
			return tools.Decision{Verdict: tools.Allow}, ctx.Err()
		}
	}
	if r, err := p.goOn(source, filepath.Join(p.dir, "run")); err != nil || r.Status != steps.Succeeded {
		t.Errorf("%v: %+v", err, r)
	}
}
