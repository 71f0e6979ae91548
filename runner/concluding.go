package runner

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
)

// conclude makes the result of a unit in which everything has ended.
func (e *engine) conclude(a *activity) {
	switch {
	case a.site == nil:
		e.concludeRun(a)
	case a.node.isFan():
		e.end(a, &a.task, a.site.guarded(func() *StepResult { return e.fanned(a) }))
	default:
		e.settle(a, &a.task, a.site.guarded(func() *StepResult { return e.gathered(a) }))
	}
}

// fanned returns the result of a foreach.
func (e *engine) fanned(a *activity) *StepResult {
	n, t := a.node, a.site
	cause := error(errTooMany)
	if a.task.Stopped != 0 {
		cause = e.causeOf(n, a.task.Stopped)
	} else if n.elements.failed {
		cause = n.elements.cause()
	}
	never := steps.Interrupted(cause)
	n.elements.never, n.elements.interrupted = &never, a.task.Stopped >= plan.ByInterrupt
	r := t.result()
	r.elements = e.elements(t.step, n.elements)
	if err := r.sumUp(t.step); err != nil {
		return t.leaf(failed(err))
	}
	e.addEarlier(n, r)
	e.warnOfSecrets(n, r)
	return r
}

// gathered makes the result of a unit from the results of the steps inside: what they used,
// the output of the last one, and the first failure.
func (e *engine) gathered(a *activity) *StepResult {
	n, t := a.node, a.site
	inner, err := e.results(n)
	if err != nil {
		return t.leaf(failed(err))
	}
	r := t.result()
	r.gather(inner)
	if a.task.Stopped != 0 && r.Status == steps.Succeeded {
		r.interrupt(e.causeOf(n, a.task.Stopped))
	}
	if n.step.Repeats() {
		r.Rounds = n.round
		if r.Status == steps.Succeeded && n.verdict != nil && !*n.verdict {
			r.Status, r.StopReason, r.Partial = steps.Stopped, steps.ReasonMaxRounds, true
			r.Error = &steps.Error{
				Kind: steps.KindLimit, Message: fmt.Sprintf("max_rounds: until was still false after %s: %s", quantity.Count(r.Rounds, "round"), t.step.Group.Until.Source()),
			}
		}
	}
	if t.step.Use != nil {
		e.returns(a, r)
	}
	return r
}

// returns sets the outputs of a used workflow as the output of its step.
func (e *engine) returns(a *activity, r *StepResult) {
	inside, err := e.scopeOf(a.node)
	if err != nil {
		r.Result = failed(err)
		return
	}
	in := inside.in
	if r.fatal && in.owns(r.Error) {
		r.fatal = false
	}
	outputs, err := in.outputs(a.ctx, inside)
	if err != nil && r.Status == steps.Succeeded && !e.dry.isAgain(a.node) {
		r.Status, r.StopReason, r.Error = steps.Failed, steps.ReasonInvalidOutput, asError(err)
	}
	r.Output = outputs.asMap()
	if len(outputs) > 0 {
		r.Text, r.whole = outputs.text(), nil
	}
}

// concludeRun ends the run.
func (e *engine) concludeRun(a *activity) {
	results, err := e.results(e.root)
	if err != nil {
		e.bug(err)
		return
	}
	inside, err := e.scopeOf(e.root)
	if err != nil {
		e.bug(err)
		return
	}
	var cause error
	if a.task.Stopped != 0 {
		cause = e.causeOf(e.root, a.task.Stopped)
	}
	result := e.run.conclude(a.ctx, cause, e.top, inside, results)
	e.endRun(&a.task, result)
}

// endRun records that the run has ended. task is that of append.
func (e *engine) endRun(task *plan.Task, result *Result) {
	e.tellAll()        // no record follows the end
	type fields Result // without the methods
	result.Answered = e.given
	waiting := result.Waiting
	result.Waiting = nil // the records have them
	p := &appending{}
	p.fact = journal.Record{Kind: journal.End, Status: journal.Status(result.Status), Reason: kindOf(result.failure()), Forgiven: result.forgives()}
	p.encode(struct {
		*fields
		Commit string `json:"commit,omitempty"` // of the workspace
	}{(*fields)(result), e.commit(e.top)})
	e.prepare(p)
	result.Waiting = waiting
	e.mu.Lock()
	if task == nil || e.plan.Stands(*task) {
		e.enter(p)
		e.result = result
	}
	e.mu.Unlock()
	if p.failed != nil {
		result.spoil(p.failed)
	}
}

// tellOpen emits the start of each unit that is open after the journal is folded and that has
// others inside it, and starts its timeout.
func (e *engine) tellOpen(n *node) {
	if n.over.is() || n.step != nil && n.inner == nil && n.elements == nil {
		return
	}
	if n.step != nil {
		_, t, err := e.find(n.unit)
		if err == nil && n.isFan() {
			u := n.fanStarted()
			e.tell(u.site, u.event)
		}
		switch {
		case err != nil:
			e.bug(err)
			return
		case !n.isFan():
			e.tellStart(n, t)
		}
	}
	for inner := range n.within() {
		e.tellOpen(inner)
	}
}
