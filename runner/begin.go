package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
)

// open begins an attempt of a group, or of a step that uses another workflow; then the
// steps inside are due.
func (e *engine) open(a *activity) {
	t := a.site.attempt(a.task.Unit.Attempt())
	var used *instance
	var data any
	r := t.guarded(func() *StepResult {
		var err error
		if t, err = t.settled(a.ctx); err == nil && t.step.Use != nil {
			if used, err = t.linkUsed(a.ctx); err == nil {
				data = t.insideWork(used.inputs)
			}
		} else if err == nil && t.movesAway() {
			data = t.insideWork(nil)
		}
		if err != nil {
			return a.site.leaf(unprepared(a.ctx, err))
		}
		return nil
	})
	if r != nil && !e.dry.opens(a, r.Error) {
		e.settle(a, &a.task, r)
	}
	if r != nil {
		return
	}
	fact := journal.Record{Kind: journal.Began, Unit: a.task.Unit, Label: t.label}
	e.appendIf(a.node, e.isDue(&a.task), fact, data, func() { a.node.settled, a.node.used = t, used })
}

// work runs an attempt of a step that does something itself.
func (e *engine) work(a *activity) {
	ctx, cancel := a.bound()
	defer cancel()
	ctx = WithCaller(ctx, Caller{a.task.Unit, a.site.in.recipe()})
	begun := false
	r := a.site.guarded(func() *StepResult {
		if ctx.Err() != nil {
			return e.halted(a, steps.Interrupted(context.Cause(ctx)))
		}
		run, err := e.begin(ctx, a, &begun)
		switch {
		case err != nil:
			return e.halted(a, unprepared(ctx, err))
		case run == nil:
			return nil // it is no longer due
		}
		return a.site.leaf(run(ctx))
	})
	switch {
	case r == nil:
	case r.Status == steps.Waiting:
		e.wait(a, r)
	case begun:
		if a.site.step.Once && r.Error != nil { // only a person has it run again
			failure := *r.Error
			failure.Option, r.Error = OptionOnce, &failure
		}
		e.settle(a, nil, r)
	default:
		e.tellStart(a.node, a.site)
		e.settle(a, &a.task, r)
	}
}

// begin renders the step, records what it is about to do, and returns a function that does
// it; nil if the step is no longer due.
func (e *engine) begin(ctx context.Context, a *activity, begun *bool) (run func(context.Context) steps.Result, err error) {
	if err := a.site.keepAnswers(); err != nil {
		return nil, err
	}
	t, w, known, err := e.render(ctx, a)
	if err == nil && e.passWork != nil {
		w, err = e.passWork(w)
	}
	if err != nil {
		return nil, err
	}
	var data any
	if !known {
		data = w
	}
	began := &appending{node: a.node, what: "journal", stands: e.isDue(&a.task)}
	began.fact = journal.Record{Kind: journal.Began, Unit: a.task.Unit, Label: t.label, Once: t.step.Once}
	began.encode(data)
	e.prepare(began)
	if began.failed == nil {
		if kept, err := e.keep(a, t, began.fact); kept || err != nil {
			return nil, err
		}
	}
	e.tellStart(a.node, a.site)
	if !e.appendPrepared(began) {
		return nil, nil
	}
	if *begun = true; ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if t.step.Once { // the record has to outlive a crash of the machine, too
		if err := e.journal.Sync(); err != nil {
			return nil, err
		}
	}
	return t.bind(ctx, w)
}

// render renders the step. A step that continues is not rendered again: its recorded work is
// known. Only if a secret is hidden in that, it is rendered again.
func (e *engine) render(ctx context.Context, a *activity) (t *site, w *Work, known bool, err error) {
	t = a.site.attempt(a.task.Unit.Attempt())
	if a.task.Do == plan.GoOn && a.node.work != 0 {
		data, err := e.dataAt(a.node.work)
		if err != nil {
			return nil, nil, false, lostOwn(err)
		}
		if t.step.Agent == nil && t.step.Question == nil && !a.node.answered {
			t.warn("it was running when flow ended, and now runs again: the first attempt may have taken effect, or may still be running")
		}
		if !journal.Hidden(data) {
			return t.goingOn(ctx, data)
		}
	}
	if t, err = t.settled(ctx); err == nil {
		w, err = t.render(ctx)
	}
	return t, w, false, err
}

// lostOwn returns the error for a unit that can't continue without its own recorded data, and
// can start over.
func lostOwn(err error) error {
	if LostUnit(err).IsZero() {
		return err
	}
	return &steps.Error{Kind: steps.KindOf(err), Message: err.Error(), Option: OptionFrom, Err: err}
}

// goingOn returns recorded work, and the step's site as it was when the work began.
func (t *site) goingOn(ctx context.Context, data []byte) (_ *site, w *Work, known bool, err error) {
	if w, err = decodeWork(data); err != nil {
		return nil, nil, false, err
	}
	t, err = t.restored(w.Folder, w.Variables, w.Given)
	if err != nil || w.Agent == nil || t.run.Model == "" {
		return t, w, true, err
	}
	w, known, err = t.renamed(ctx, w)
	return t, w, known, err
}

// renamed replaces the models of recorded work by the one that the options name for every
// step.
func (t *site) renamed(ctx context.Context, w *Work) (_ *Work, known bool, err error) {
	named, err := t.in.modelsFor(ctx, t.step.Agent, nil)
	if err != nil || slices.Equal(named.Refs, w.Agent.Models) {
		return w, true, err
	}
	w.Agent.Models, w.Agent.ModelsOf = named.Refs, named.By.File
	return w, false, nil
}

// past returns the conversation so far of an attempt that continues.
func (e *engine) past(n *node) (p steps.Past, err error) {
	e.mu.Lock()
	facts := n.facts
	p.Worked = n.worked
	n.inFlight = false
	e.mu.Unlock()
	asked := map[string]steps.Pending{}
	for _, at := range facts {
		r, data, err := e.recordAt(at)
		if err != nil {
			return p, lostOwn(err)
		}
		var f steps.Fact
		var into any = &f
		switch r.Kind {
		case journal.Said:
			f.Said = &steps.Said{}
			into = f.Said
		case journal.Called:
			f.Call = &steps.Intent{}
			into = f.Call
		case journal.Answer:
			f.Answer = &steps.CallAnswer{}
			into = f.Answer
		case journal.Asked, journal.Answered:
			if f.Told, err = approval(asked, r, data); err != nil {
				return p, err
			} else if f.Told == nil {
				continue
			}
			into = nil
		}
		if into != nil {
			if err := json.Unmarshal(data, into); err != nil {
				return p, fmt.Errorf("record %d: %w", r.Seq, err)
			}
		}
		p.Facts = append(p.Facts, f)
	}
	if last := len(p.Facts) - 1; last >= 0 {
		e.mu.Lock()
		n.inFlight = p.Facts[last].Said == nil && p.Facts[last].Call == nil && p.Facts[last].Told == nil
		e.mu.Unlock()
	}
	return p, nil
}

// remember records a fact of the step's conversation.
func (t *site) remember(f steps.Fact) {
	fact := journal.Record{Unit: t.unit}
	var data any = f
	switch {
	case f.Said != nil:
		fact.Kind, data = journal.Said, f.Said
		fact.Spent = t.in.worthOf(f.Said.Used)
		for _, used := range f.Said.Used {
			if _, known := t.in.price(used.Model, used.Usage); !known {
				fact.Unpriced = append(fact.Unpriced, used.Model)
			}
		}
		slices.Sort(fact.Unpriced)
		fact.Unpriced = slices.Compact(fact.Unpriced)
	case f.Call != nil:
		fact.Kind, fact.Call, data = journal.Called, f.Call.ID, f.Call
	case f.Answer != nil:
		fact.Kind, fact.Call, fact.Status, data = journal.Answer, f.Answer.ID, journal.Status(f.Answer.Status), f.Answer
	default:
		fact.Kind, fact.About = journal.Decided, journal.Inner
	}
	t.run.engine.append(t.node, nil, fact, data)
}

// settle ends an attempt: either another one follows, or the unit ends. task is that of
// [engine.append].
func (e *engine) settle(a *activity, task *plan.Task, r *StepResult) {
	t := a.site
	t.settle(r)
	r.Attempts = max(a.task.Unit.Attempt(), 1)
	e.addEarlier(a.node, r)
	if !endsBetter(r) || !e.again(a, task, r) {
		e.end(a, task, r)
	}
}

// again records that an attempt has failed and another one follows, if one may.
func (e *engine) again(a *activity, task *plan.Task, r *StepResult) bool {
	e.mu.Lock()
	wait, may := e.plan.Another(a.task.Unit)
	e.mu.Unlock()
	if !may {
		return false
	}
	fact := journal.Record{
		Kind: journal.Again, Unit: a.task.Unit, Status: journal.Status(r.Status), Reason: kindOf(r.Error), Until: time.Now().UTC().Add(time.Duration(wait)),
	}
	due := e.isDue(task)
	stands := func() bool {
		_, may := e.plan.Another(a.task.Unit) // it may have been stopped meanwhile
		return may && due()
	}
	n := a.task.Unit.Attempt()
	retry := steps.Event{Type: steps.Retry, Attempt: n, Wait: time.Duration(wait), Error: r.Error.Message}
	may = e.appendIf(a.node, stands, fact, r.journaled(), func() {
		e.untold = append(e.untold, untold{a.site, Event{Unit: a.task.Unit.WithAttempt(n + 1), Event: retry}})
	})
	e.tellAll()
	return may
}

// endsBetter reports whether an attempt has failed and another one may succeed. It can't
// after a timeout, a denial, a cancellation, or a mistake in the set-up.
func endsBetter(r *StepResult) bool {
	if r.Error == nil || r.Status == steps.Succeeded {
		return false
	}
	switch r.Error.Kind {
	case steps.KindTimeout, steps.KindDenied, steps.KindCancelled, steps.KindInvalidWorkflow, steps.KindInvalidInput, steps.KindInternal:
		return false
	}
	return !fatal(r.Error)
}
