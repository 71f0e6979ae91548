package runner

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	runplan "github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A fold makes records of the events of a run, with the decisions that they come
// from, and lets a plan take them: what the runner did was due by the plan, and
// nothing else is in the end.
type fold struct {
	t      *testing.T
	plan   *runplan.Plan
	seq    int64
	events []Event // all of the run
}

func (f *fold) take(r record.Record) {
	f.t.Helper()
	f.seq++
	r.Seq = f.seq
	if err := f.plan.Take(r); err != nil {
		f.t.Fatalf("%v; due is %+v", err, f.plan.Due())
	}
}

// due is the task of a unit.
func (f *fold) due(u unit.Unit) *runplan.Task {
	for _, task := range f.plan.Due() {
		if task.Unit.WithAttempt(0) == u.WithAttempt(0) {
			return &task
		}
	}
	return nil
}

// started is the event with which a unit started, if it did.
func (f *fold) started(u unit.Unit) *Event {
	for _, e := range f.events {
		if e.Type == StepStarted && e.Unit.WithAttempt(0) == u.WithAttempt(0) {
			return &e
		}
	}
	return nil
}

// decide decides what is to be before something happens to a unit.
func (f *fold) decide(u unit.Unit) {
	f.t.Helper()
	for at := u; !at.IsZero(); at = at.Parent() { // a group around it may have to go another round
		if task := f.due(at); task != nil && task.About == record.Until {
			f.take(record.Record{Kind: record.Decided, Unit: task.Unit, About: record.Until, Count: task.Round, Holds: at == u})
		}
	}
	if task := f.due(u); task != nil && task.About == record.If {
		f.take(record.Record{Kind: record.Decided, Unit: u, About: record.If, Holds: f.started(u) != nil})
	}
	if task := f.due(u); task != nil && task.About == record.Elements {
		f.take(record.Record{Kind: record.Decided, Unit: u, About: record.Elements, Count: *f.started(u).Items})
	}
}

// begin begins an attempt that is due, and those that were to be tried again.
func (f *fold) begin(u unit.Unit) {
	if task := f.due(u); task != nil && task.Do == runplan.Rest {
		f.take(record.Record{Kind: record.Decided, Unit: task.Unit, About: record.Rested})
	}
	if task := f.due(u); task != nil && task.Do == runplan.Begin {
		f.take(record.Record{Kind: record.Began, Unit: task.Unit})
	}
}

func (f *fold) event(e Event, stepOf func(unit.Unit) *workflows.Step) {
	f.t.Helper()
	u := e.Unit.WithAttempt(0)
	switch {
	case e.Type == StepStarted:
		f.decide(u)
		if e.Items == nil {
			if task := f.due(u); task == nil || task.Do != runplan.Begin {
				f.t.Fatalf("%s starts, and the plan has %+v", u, f.plan.Due())
			}
			f.begin(u)
		}
	case e.Type == steps.Retry && e.Turn == 0 && e.StepAttempt > 1:
		f.decide(u)
		f.take(record.Record{Kind: record.Again, Unit: u.WithAttempt(e.StepAttempt - 1), Status: record.Failed})
		f.begin(u)
	case e.Type == StepFinished:
		f.decide(u)
		step := stepOf(u)
		f.take(record.Record{Kind: record.Ended, Unit: u, Status: record.Status(e.Status), Forgiven: step.OnError == workflows.OnErrorContinue})
	}
}

// foldJournal lets a plan take the journal of a run: each record could follow on
// those before.
func foldJournal(t *testing.T, dir string, w *workflows.Workflow) {
	t.Helper()
	reader, err := journal.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	p := runplan.New(w, runplan.Options{})
	for r, err := range reader.Records() {
		if err == nil {
			err = p.Take(r)
		}
		if err != nil {
			t.Fatalf("the journal: %v; due is %+v", err, p.Due())
		}
	}
	if _, over := p.Over(); !over {
		t.Errorf("by the journal the run has not ended: %+v", p.Due())
	}
}

// stepOf finds steps by the paths of units.
func stepOf(list []*workflows.Step) func(unit.Unit) *workflows.Step {
	byPath := map[string]*workflows.Step{}
	var add func(prefix string, list []*workflows.Step)
	add = func(prefix string, list []*workflows.Step) {
		for _, s := range list {
			byPath[prefix+s.Name] = s
			if s.Group != nil {
				add(prefix+s.Name+"/", s.Group.Steps)
			}
			if s.Use != nil {
				add(prefix+s.Name+"/", s.Use.Workflow.Steps)
			}
		}
	}
	add("", list)
	return func(u unit.Unit) *workflows.Step { return byPath[u.Path()] }
}

// What the runner does is what the plan says, whatever is in the workflow.
func TestThePlanIsTheFoldOfARun(t *testing.T) {
	tests := []struct {
		name, source string
		parallel     int
	}{
		{"a list", `[{id: a, run: "true"}, {id: b, needs: [], run: "true"}, {id: c, needs: [a, b], if: "1 > 2", run: "true"}, {id: d, needs: [c], if: "1 < 2", run: "true"}]`, 8},
		{"one at a time", `[{id: a, run: "true"}, {id: b, needs: [], run: "true"}, {id: c, needs: [], run: "true"}]`, 1},
		{"a failure, and what tidies up", `[{id: a, run: "exit 1"}, {id: b, run: "true"}, {id: c, if: failure(), run: "true"}, {id: d, needs: [a], if: success(), run: "true"}, {id: e, needs: [a], if: always(), run: "true"}]`, 8},
		{"a sibling is cancelled", `[{id: a, run: "sleep 0.2; exit 1"}, {id: b, needs: [], run: "sleep 20"}, {id: c, needs: [b], run: "true"}]`, 8},
		{"a failure that is continued", `[{id: a, run: "exit 1", on_error: continue}, {id: b, run: "true"}]`, 8},
		{"elements", `[{id: a, foreach: [1, 2, 3, 4, 5], max_parallel: 2, run: "true"}, {id: b, run: "true"}]`, 8},
		{"more elements than slots", `[{id: a, foreach: [1, 2, 3, 4, 5], max_parallel: 5, run: "true"}]`, 2},
		{"no elements", `[{id: a, foreach: [], run: "true"}]`, 8},
		{"elements that fail", `[{id: a, foreach: [1, 2, 3, 4, 5], max_parallel: 1, run: "test ${{ item }} -lt 3"}, {id: b, run: "true"}]`, 8},
		{"elements that fail and are collected", `[{id: a, foreach: [1, 2, 3, 4, 5], max_parallel: 2, on_error: continue, run: "test ${{ item }} -lt 3"}, {id: b, run: "true"}]`, 8},
		{"elements of which too many fail", `[{id: a, foreach: [1, 2, 3, 4, 5], max_parallel: 1, on_error: finish, max_failures: 1, run: "test ${{ item }} -lt 3"}]`, 8},
		{"attempts", `[{id: a, retry: {max_attempts: 3, backoff: 1ms}, run: "exit 1"}]`, 8},
		{"attempts of elements", `[{id: a, foreach: [1, 2], on_error: continue, max_parallel: 1, retry: {max_attempts: 2, backoff: 1ms}, run: "test ${{ item }} -lt 2"}]`, 8},
		{"a group", `[{id: g, steps: [{id: a, run: "true"}, {id: b, run: "exit 1"}, {id: c, run: "true"}]}, {id: z, if: always(), run: "true"}]`, 8},
		{"rounds", `[{id: g, until: "round > 1", steps: [{id: a, run: "true"}, {id: b, run: "true"}]}, {id: z, run: "true"}]`, 8},
		{"too many rounds", `[{id: g, until: "1 > 2", max_rounds: 2, steps: [{id: a, run: "true"}]}]`, 8},
		{"a group that is tried again", `[{id: g, retry: {max_attempts: 2, backoff: 1ms}, steps: [{id: a, run: "true"}, {id: b, run: "exit 1"}]}]`, 8},
		{"groups as elements", `[{id: g, foreach: [1, 2, 3], max_parallel: 1, on_error: continue, steps: [{id: a, run: "test ${{ item }} -lt 3"}, {id: b, run: "true"}]}]`, 8},
		{"elements in rounds", `[{id: g, until: "round > 1", steps: [{id: a, foreach: [1, 2], max_parallel: 1, run: "true"}]}]`, 8},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := newTrial(t)
			var w *workflows.Workflow
			tr.change = func(o *Options) { o.MaxParallel, w = test.parallel, o.Workflow }
			result := tr.run("name: t\nsteps: " + test.source + "\n")
			f := &fold{t: t, plan: runplan.New(w, runplan.Options{}), events: tr.events}
			f.take(record.Record{Kind: record.Run, Parallel: test.parallel})
			for _, e := range tr.events {
				f.event(e, stepOf(w.Steps))
			}
			f.take(record.Record{Kind: record.End, Status: record.Status(result.Status)})
			foldJournal(t, tr.dir+"/run", w)
		})
	}
}
