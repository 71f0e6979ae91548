package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// What did not succeed is taken up again wherever a run was cut off, and however often
// it was gone on with before.
func TestFailedIsTakenUpAnywhere(t *testing.T) {
	const source = `
name: t
steps:
  - {id: a, run: 'test -e ok', on_error: continue}
  - {id: each, foreach: [1, 2, 3], max_parallel: 2, on_error: continue, run: 'test -e ok || test ${{ item }} = 1'}
  - id: deep
    foreach: [1, 2]
    max_parallel: 1
    steps:
      - {id: loop, on_error: continue, until: 'round > 1', steps: [{id: tries, on_error: continue, run: 'test -e ok || test ${{ item }} = 1'}, {id: after, run: 'true'}]}
  - {id: last, run: 'true', needs: [deep]}
`
	first := newTrial(t)
	first.run(source)
	run, want := filepath.Join(first.dir, "run"), "a=succeeded each=succeeded deep=succeeded last=succeeded"
	step := 1
	if testing.Short() {
		step = 6
	}
	for n := 2; n < strings.Count(first.file("run/journal.jsonl"), "\n"); n += step {
		for _, before := range []*Resumption{nil, {}, {From: []journal.Address{unitOf(t, "a")}}} {
			tr := newTrial(t)
			dir := cutTo(t, run, n)
			goOn := func(with *Resumption) *Result {
				tr.change = func(o *Options) { o.Dir, o.Resume = dir, with }
				r, err := tr.try(source)
				if err != nil {
					t.Fatalf("after record %d, before %+v: %v", n, before, err)
				}
				return r
			}
			if before != nil && (before.From == nil || n > 4) {
				goOn(before)
				dir = cutTo(t, dir, strings.Count(read(t, dir), "\n")-1) // without its end
			}
			tr.write("ok", "")
			r := goOn(&Resumption{Failed: true})
			if got := statuses(r); got != want || r.forgives() {
				t.Errorf("after record %d, before %+v: %s, want %s", n, before, got, want)
			}
			for _, element := range elementsOf(t, r.Steps[2]) {
				if loop := element.inner[0]; loop.inner[0].Status != steps.Succeeded {
					t.Errorf("after record %d, before %+v: %s: %+v", n, before, loop.inner[0].Unit, loop.inner[0].Error)
				}
			}
		}
	}
}

func read(t *testing.T, run string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(run, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A foreach that had ended, and of which an element runs again, has its elements and its time.
func TestAForeachThatGoesOnHasItsElements(t *testing.T) {
	tr := newTrial(t)
	const source = "\nname: t\nsteps: [{id: each, foreach: [1, 2], max_parallel: 1, on_error: continue, run: 'test -e ${{ item }}'}]\n"
	tr.write("1", "")
	tr.run(source)
	tr.change = func(o *Options) { o.Resume = &Resumption{Failed: true} }
	for _, left := range []string{"failed", "succeeded"} {
		each := tr.run(source).Steps[0]
		if got := tr.file("run/run.json"); string(each.Status) != left || each.Started == nil || each.Duration == nil || !strings.Contains(got, `"unit":"each[1]"`) {
			t.Errorf("%s, started %v: %s", each.Status, each.Started, got)
		}
		tr.write("2", "")
	}
}

// A step that has not begun can be named to run again: it runs anyway.
func TestFromAStepThatIsToCome(t *testing.T) {
	const source = "name: t\nsteps:\n- {id: a, run: 'test -e ok'}\n- {id: loop, until: round > 0, steps: [{id: in, run: echo in}]}\n"
	for _, from := range []string{"loop", "loop/in"} {
		tr := newTrial(t)
		tr.run(source)
		run := filepath.Join(tr.dir, "run")
		tr.write("ok", "")
		dir := cutTo(t, run, 2) // killed while a ran
		tr.change = func(o *Options) { o.Dir, o.Resume = dir, &Resumption{From: []journal.Address{unitOf(t, from)}} }
		r, err := tr.try(source)
		if err != nil || r.Status != steps.Succeeded {
			t.Errorf("from %s: %v, %v", from, r, err)
		}
	}
	tr := newTrial(t)
	tr.run(source)
	tr.change = func(o *Options) { o.Resume = &Resumption{From: []journal.Address{unitOf(t, "loop/out")}} }
	if _, err := tr.try(source); err == nil || !strings.Contains(err.Error(), "the run has no step or element \"loop/out\"") {
		t.Errorf("a step that is not there: %v", err)
	}
}
