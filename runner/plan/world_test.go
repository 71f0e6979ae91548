package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// everything is a workflow that has everything that a plan knows.
const everything = `
name: everything
steps:
  - {id: lint, run: "true", retry: {max_attempts: 3, backoff: 1s}}
  - {id: pages, needs: [], foreach: "${{ 1..9 }}", max_parallel: 3, on_error: continue, max_failures: 7, retry: {max_attempts: 2}, run: "true"}
  - {id: strict, needs: [lint], foreach: "${{ 1..4 }}", max_parallel: 2, run: "true"}
  - {id: maybe, needs: [lint], if: "1 > 2", run: "true"}
  - id: loop
    needs: [maybe]
    until: steps.b.status == "succeeded"
    max_rounds: 3
    retry: {max_attempts: 2}
    steps:
      - {id: a, run: "true"}
      - {id: b, run: "true", on_error: continue}
      - id: plain
        needs: []
        steps: [{id: c, run: "true"}]
  - id: nested
    needs: [pages]
    foreach: "${{ 1..5 }}"
    on_error: finish
    steps:
      - {id: a, run: "true"}
      - {id: b, foreach: "${{ 1..3 }}", run: "true"}
  - {id: used, needs: [lint], run: "true"}
  - {id: tidy, needs: [loop, strict], if: "always()", run: "true"}
  - {id: last, needs: [tidy, nested, used], run: "true"}
`

func parse(t testing.TB, source string) *workflows.Workflow {
	t.Helper()
	w, ds := workflows.Parse("test.yaml", []byte(source), workflows.Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	return w
}

// parseEverything is everything, with a step that uses another workflow.
func parseEverything(t testing.TB) *workflows.Workflow {
	w := parse(t, everything)
	for _, step := range w.Steps {
		if step.Name == "used" {
			step.Command, step.Kind = nil, workflows.KindUses
			step.Use = &workflows.Use{Workflow: parse(t, `
name: inner
budget: {tokens: 1000}
steps:
  - {id: x, run: "true"}
  - {id: y, run: "true"}
`)}
		}
	}
	return w
}

// A world is what a plan is driven in: it does what is due, and decides what comes
// of it.
type world struct {
	t        testing.TB
	workflow *workflows.Workflow
	options  Options
	plan     *Plan
	slots    int

	log      []journal.Record
	inFlight []journal.Unit // attempts that work
	doing    map[journal.Unit]*workflows.Step
	asks     []journal.Unit
	ended    map[journal.Unit]journal.Status

	// outcome is what comes of an attempt or a decision.
	outcome func(u journal.Unit, step *workflows.Step) journal.Status
	holds   func(u journal.Unit, about journal.About, round int) bool
	asking  func(u journal.Unit) bool
}

func newWorld(t testing.TB, w *workflows.Workflow, slots int) *world {
	return &world{
		t: t, workflow: w, plan: New(w, Options{}), slots: slots, doing: map[journal.Unit]*workflows.Step{}, ended: map[journal.Unit]journal.Status{},
		outcome: func(journal.Unit, *workflows.Step) journal.Status { return journal.Succeeded },
		holds:   func(journal.Unit, journal.About, int) bool { return true },
		asking:  func(journal.Unit) bool { return false },
	}
}

// write lets the plan take a record.
func (w *world) write(r journal.Record) {
	w.t.Helper()
	r.Seq = int64(len(w.log) + 1)
	if err := w.plan.Take(r); err != nil {
		w.t.Fatalf("%v\nafter\n%s", err, w.tail())
	}
	w.log = append(w.log, r)
}

// tail is the end of the log.
func (w *world) tail() (text string) {
	for _, r := range w.log[max(len(w.log)-40, 0):] {
		text += fmt.Sprintf("%d %s %s %s %v %s\n", r.Seq, r.Kind, r.Unit, r.About, r.Holds, r.Status)
	}
	return text
}

func (w *world) begin() {
	w.write(journal.Record{Kind: journal.Run, Version: 1, Parallel: w.slots})
}

// choices are what may happen next: the first ones are due, the others in flight.
func (w *world) step(random func(n int) int) bool {
	w.t.Helper()
	due := w.plan.Due()
	w.check(due)
	n := len(due) + len(w.inFlight)
	if n == 0 {
		return false
	}
	if i := random(n); i < len(due) {
		w.do(due[i])
	} else {
		w.finish(w.inFlight[i-len(due)])
	}
	return true
}

// do does a task.
func (w *world) do(task Task) {
	w.t.Helper()
	if !w.plan.Stands(task) {
		w.t.Fatalf("%+v is due and does not stand", task)
	}
	r := journal.Record{Kind: journal.Decided, Unit: task.Unit, About: task.About}
	switch task.Do {
	case Decide:
		r.Count = task.Round
		switch task.About {
		case journal.If:
			r.Holds = w.holds(task.Unit, task.About, 0)
		case journal.Elements:
			r.Count = elementsOf[task.Step.Name]
		case journal.Until:
			r.Holds = w.holds(task.Unit, task.About, task.Round)
		}
	case Begin, GoOn:
		r = journal.Record{Kind: journal.Began, Unit: task.Unit}
		if task.Step.Group == nil && task.Step.Use == nil {
			w.inFlight = append(w.inFlight, task.Unit)
		}
		w.doing[task.Unit] = task.Step
		w.checkBegin(task)
	case Rest:
		r.About = journal.Rested
	case Cancel:
		w.doing[task.Unit] = task.Step
		w.finish(task.Unit)
		return
	case Close:
		w.end(task.Unit, task.Step, task.Status)
		return
	case Conclude:
		w.conclude(task)
		return
	}
	w.write(r)
}

var elementsOf = map[string]int{"pages": 9, "strict": 4, "nested": 5, "b": 3}

// finish is what comes of an attempt that works.
func (w *world) finish(attempt journal.Unit) {
	w.t.Helper()
	step := w.doing[attempt]
	w.inFlight = slices.DeleteFunc(w.inFlight, func(u journal.Unit) bool { return u == attempt })
	cancelled := slices.ContainsFunc(w.plan.Due(), func(t Task) bool { return t.Do == Cancel && t.Unit == attempt })
	if !cancelled && w.asking(attempt) {
		w.write(journal.Record{Kind: journal.Asked, Unit: attempt, Call: "call"})
		w.asks = append(w.asks, attempt)
		return
	}
	w.write(journal.Record{Kind: journal.Said, Unit: attempt, Spent: journal.Amount{Tokens: 10}})
	status := w.outcome(attempt, step)
	if cancelled {
		status = journal.Cancelled
	}
	w.come(attempt, step, status)
}

// come is what comes of an attempt.
func (w *world) come(attempt journal.Unit, step *workflows.Step, status journal.Status) {
	w.t.Helper()
	if wait, may := w.plan.Another(attempt); may && status == journal.Failed {
		w.write(journal.Record{Kind: journal.Again, Unit: attempt, Status: status, Until: time.Unix(0, wait)})
		return
	}
	w.end(attempt.WithAttempt(0), step, status)
}

func (w *world) end(u journal.Unit, step *workflows.Step, status journal.Status) {
	w.t.Helper()
	w.ended[u] = status
	w.write(journal.Record{Kind: journal.Ended, Unit: u, Status: status, Forgiven: step.OnError == workflows.OnErrorContinue})
}

// conclude puts together what a unit came to, as the runner does: the first failure
// inside of it is its own.
func (w *world) conclude(task Task) {
	w.t.Helper()
	status := journal.Succeeded
	for _, j := range w.inside(task.Unit) {
		if j.state == ended && !j.good && (status == journal.Succeeded || status == journal.Cancelled) {
			status = j.status
		}
	}
	if j := w.job(task.Unit); j.stopped != 0 && status == journal.Succeeded || status == journal.Skipped {
		status = journal.Cancelled
	} else if j.verdict == holdsNot {
		status = journal.Stopped
	}
	switch {
	case task.Unit.IsZero():
		w.write(journal.Record{Kind: journal.End, Status: status})
	case task.Unit.Attempt() > 0:
		w.come(task.Unit, task.Step, status)
	default:
		w.end(task.Unit, task.Step, status)
	}
}

func (w *world) job(u journal.Unit) *job {
	if u.IsZero() {
		return w.plan.root
	}
	j, _, err := w.plan.find(u)
	if err != nil {
		w.t.Fatal(err)
	}
	return j
}

// inside are the jobs in a unit.
func (w *world) inside(u journal.Unit) []*job {
	j := w.job(u)
	if j.inner != nil {
		return j.inner.jobs
	}
	var all []*job
	if j.elements != nil {
		for i := range j.elements.count {
			if e := j.elements.kept[i]; e != nil {
				all = append(all, e)
			}
		}
	}
	return all
}

// check holds what is true whatever has happened.
func (w *world) check(due []Task) {
	w.t.Helper()
	if again := w.plan.Due(); !slices.Equal(due, again) {
		w.t.Fatalf("asked again, other things are due:\n%v\n%v", due, again)
	}
	busy := len(w.inFlight)
	for _, task := range due {
		if (task.Do == Begin || task.Do == GoOn) && task.Step.Group == nil && task.Step.Use == nil {
			busy++
		}
	}
	if busy > w.slots || busy != w.plan.busy-w.decidingWithSlot() {
		w.t.Fatalf("%d work or are to begin, the plan counts %d, at most %d may\n%s", busy, w.plan.busy, w.slots, w.tail())
	}
	if len(due) == 0 && len(w.inFlight) == 0 && !w.plan.over && !w.plan.Waiting() {
		w.t.Fatalf("nothing is due, and the run has not ended\n%s", w.tail())
	}
	w.checkFans(w.plan.root)
}

func (w *world) decidingWithSlot() (n int) {
	for e := w.plan.agenda.Front(); e != nil; e = e.Next() {
		if j := e.Value.(*job); j.state == deciding && j.holds {
			n++
		}
	}
	return n
}

// checkFans holds that no foreach has more elements at work than it may.
func (w *world) checkFans(j *job) {
	w.t.Helper()
	if e := j.elements; e != nil {
		if busy := len(e.active) - e.parked; busy > j.step.MaxParallel {
			w.t.Fatalf("%s: %d elements at once, of %d", j.unit, busy, j.step.MaxParallel)
		}
		for _, active := range e.active {
			w.checkFans(active)
		}
	}
	if j.inner != nil {
		for _, inner := range j.inner.jobs {
			w.checkFans(inner)
		}
	}
}

// checkBegin holds that what begins was not to wait.
func (w *world) checkBegin(task Task) {
	w.t.Helper()
	j := w.job(task.Unit)
	if j.fan != nil || task.Do != Begin || j.attempt != j.first {
		return
	}
	for _, need := range j.step.Needs {
		if needed := j.steps.jobs[need]; needed.state != ended {
			w.t.Fatalf("%s begins before %s has ended", task.Unit, needed.unit)
		}
	}
}

// run does what is due until the run has ended, or waits.
func (w *world) run(random func(n int) int) {
	w.t.Helper()
	for range 100_000 {
		if !w.step(random) {
			return
		}
	}
	w.t.Fatal("the run has no end")
}

// die is the death of the process: what it had in flight is gone, and the plan is
// the fold of the log.
func (w *world) die() {
	w.t.Helper()
	due := w.plan.Due()
	w.plan = New(w.workflow, w.options)
	for _, r := range w.log {
		if err := w.plan.Take(r); err != nil {
			w.t.Fatalf("folded: %v", err)
		}
	}
	if folded := w.plan.Due(); !slices.Equal(due, folded) {
		w.t.Fatalf("folded, other things are due:\n%v\n%v", due, folded)
	}
	w.inFlight = nil
}

func first(int) int { return 0 }

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
