package runner

import (
	"context"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Bounds are what ends the steps of a list before they are done, beside an interruption of the
// run.
type bounds struct {
	around      context.Context // ends by a failure beside a unit around the list, and by the timeout of one
	unended     context.Context // ends when a step ends the list as succeeded as well
	beside      context.Context // ends by a failure in the list as well
	patient     context.Context // ends by timeouts, and when a step ends a list as succeeded: a question is not withdrawn because something failed
	always      bool            // the list is in a step with always(), which has time after an interruption
	permit      *permit         // of the nearest element around; nil: there is none
	itemAround  *itemAround     // the item of that element
	labelAround string          // its name for people

	// In a dry run:
	after string // the path of a step that would run again, for which the unit around waits; "": there is none
	again bool   // the steps may have run before, in what begins again around them

	tolerated bool // the failure of a step around the list counts as success, whatever else fails in it
}

// of returns the context of a step in the list.
func (b bounds) of(step *workflows.Step) context.Context {
	switch {
	case step.If.UsesAlways():
		return b.around
	case step.If.UsesStatus():
		return b.unended
	}
	return b.beside
}

// within returns the bounds of what is inside a step of the list, and a function that lets go of them.
func (b bounds) within(step *workflows.Step) (inner bounds, release func()) {
	inner = b
	inner.around, inner.always, inner.tolerated = b.of(step), b.always || step.If.UsesAlways(), b.tolerated || tolerates(step)
	if step.Timeout <= 0 {
		return inner, func() {}
	}
	cause := timeIsUp(step.Timeout)
	around, cancelAround := context.WithTimeoutCause(inner.around, step.Timeout, cause)
	patient, cancelPatient := context.WithTimeoutCause(inner.patient, step.Timeout, cause)
	inner.around, inner.patient = around, patient
	return inner, func() { cancelAround(); cancelPatient() }
}

// tolerates reports whether the failure of a step counts as success, whatever fails in it.
func tolerates(step *workflows.Step) bool {
	return step.OnError == workflows.OnErrorContinue && step.MaxFailures == nil
}

// A list runs steps: each once those that it needs have ended.
type list struct {
	*exec
	bounds
	finish  context.CancelCauseFunc // ends unended
	fail    context.CancelCauseFunc // ends beside
	hurry   context.CancelCauseFunc // ends patient
	lasting context.Context         // patient of steps with always()
	scope   *scope
	earlier *history.Unit // what is known of the unit around the steps
	after   frontier      // what all of the steps depend on: the round before
	steps   []*workflows.Step

	results  []*StepResult // in the order of the steps; nil: it has not ended, or never began
	dones    []frontier    // how far they have come
	begun    []bool
	reruns   []string     // in a dry run: the path of each that would run again, or of a step for which it waits that would
	needsMet []bool       // none of the steps that it needs failed
	broken   bool         // a step failed
	ended    bool         // a step ended the list as succeeded
	usedUp   *steps.Error // a budget that goes on ended a step, or let none begin; nil: none has
	running  int
	ends     chan stepEnd
}

type stepEnd struct {
	index  int
	result *StepResult
}

// list runs steps until all of them have ended, or wait for a person, or need one that waits.
func (e *exec) list(b bounds, s *scope, earlier *history.Unit, after frontier, all []*workflows.Step) *list {
	l := &list{
		exec: e, bounds: b, scope: s, earlier: earlier, after: after, steps: all, lasting: b.patient,
		results: make([]*StepResult, len(all)), dones: make([]frontier, len(all)), begun: make([]bool, len(all)), needsMet: make([]bool, len(all)), reruns: make([]string, len(all)), ends: make(chan stepEnd, len(all)),
	}
	l.unended, l.finish = context.WithCancelCause(b.around)
	l.beside, l.fail = context.WithCancelCause(l.unended)
	l.patient, l.hurry = context.WithCancelCause(b.patient)
	for again := true; again; again = l.ended && l.withdraw() {
		l.run()
	}
	if !waits(l.results) { // else they may be withdrawn later, with the cause of that
		l.fail(nil)
		l.finish(nil)
		l.hurry(nil)
	}
	return l
}

// run runs the steps that are due, and those that are due by their ends.
func (l *list) run() {
	for l.startDue(); l.running > 0; l.startDue() {
		l.barrier.leave()
		end := <-l.ends // it has entered for this goroutine
		l.running--
		l.take(end.index, end.result)
	}
}

// withdraw ends what waits for a person in a list that has ended, and reports whether there was any. Steps
// with always() wait on, unless the list was ended from around it.
func (l *list) withdraw() (did bool) {
	for i, r := range l.results {
		if r != nil && r.Status == steps.Waiting && (l.around.Err() != nil || !l.steps[i].If.UsesAlways()) {
			l.take(i, r.withdraw())
			did = true
		}
	}
	return did
}

// startDue starts each step for which everything that it needs has ended.
func (l *list) startDue() {
	for moved := true; moved; {
		moved = false
		for i := range l.steps {
			if l.begun[i] || !l.isDue(i) {
				continue
			}
			l.begun[i] = true
			if r := l.start(i); r != nil {
				l.take(i, r)
				moved = true
			}
		}
	}
}

func (l *list) isDue(i int) bool {
	return !slices.ContainsFunc(l.steps[i].Needs, func(k int) bool { return l.results[k] == nil || l.results[k].Status == steps.Waiting })
}

// start starts a step, or returns its result if it does not begin, or is done already. After a
// failure a step is skipped, unless its condition looks at the status of others; once the list is
// ended, or a budget that goes on is used up, unless it calls always().
func (l *list) start(i int) *StepResult {
	step := l.steps[i]
	t, earlier := l.scope.site(step), l.historyOfStep(l.earlier, step.Name)
	l.needsMet[i] = !slices.ContainsFunc(step.Needs, func(k int) bool { return !l.results[k].good() || !l.needsMet[k] })
	on := l.dependsOn(i)
	u := &unit{exec: l.exec, bounds: l.bounds, site: t, earlier: earlier, on: on, needsMet: l.needsMet[i]}
	if step.If.UsesAlways() {
		u.patient = l.lasting
	}
	if l.dry != nil {
		u.after = l.afterOf(i)
	}
	if r := l.recall(t, earlier, on); r != nil { // whatever has ended the list meanwhile
		return r
	}
	open := earlier.IsOpen() && l.needsMet[i]
	over := (l.ended || l.usedUp != nil) && !step.If.UsesAlways() || (l.broken || !l.needsMet[i]) && !step.If.UsesStatus()
	if !open && (over || l.around.Err() != nil || l.interruption(l.bounds, step).Err() != nil) {
		return u.skips(earlier)
	}
	l.running++
	u.launch(func(r *StepResult) { l.ends <- stepEnd{i, r} })
	return nil
}

// take applies that a step has ended, or waits for a person.
func (l *list) take(i int, r *StepResult) {
	if l.results[i] = r; l.dry != nil {
		if l.reruns[i] = l.afterOf(i); r.unknown {
			l.reruns[i] = r.path
		}
	}
	if r.Status == steps.Waiting {
		return
	}
	if l.dones[i] = l.done(l.scope.around.Child(l.steps[i].Name)); r.Status == steps.Skipped {
		l.dones[i] = l.dones[i].with(l.dependsOn(i))
	}
	l.scope.visible.add(r)
	if end := l.steps[i].End; end != nil && !end.Fails && r.Status == steps.Succeeded && !l.broken {
		l.ended = true
		l.finish(errEnded)
		l.hurry(errEnded)
	}
	if l.scope.ender.hasEnded(r.Error) {
		l.usedUp = r.Error
	}
	if !r.good() {
		l.broken = true
		l.fail(besideFailed(r))
	}
}

// afterOf returns the path of a step that would run again in a dry run, and for which a step waits: of one on
// which it depends, if there is one.
func (l *list) afterOf(i int) string {
	for _, k := range slices.Concat(l.steps[i].Depends, l.steps[i].Needs) {
		if l.reruns[k] != "" {
			return l.reruns[k]
		}
	}
	return l.bounds.after
}

// interruption returns the context that ends when the run's interruption reaches a step: one with
// always(), or inside one, has time left.
func (e *exec) interruption(b bounds, step *workflows.Step) context.Context {
	if b.always || step.If.UsesAlways() {
		return e.over
	}
	return e.interrupted
}

// dependsOn returns how far the steps have come on which a step depends: those that it names or
// refers to and, if its condition looks at the status of others, all that it needs.
func (l *list) dependsOn(i int) frontier {
	on := l.after
	seen := map[int]bool{}
	var include func(all []int)
	include = func(all []int) {
		for _, k := range all {
			if !seen[k] {
				seen[k] = true
				on = on.with(l.dones[k])
				if l.steps[i].If.UsesStatus() {
					include(l.steps[k].Needs)
				}
			}
		}
	}
	if include(l.steps[i].Depends); l.steps[i].If.UsesStatus() {
		include(l.steps[i].Needs)
	}
	return on
}

// besideFailed returns why a unit has to end because another one has failed.
func besideFailed(r *StepResult) error {
	if r.Error != nil && r.Error.Kind == steps.KindBudget {
		return errUsedUp
	}
	return errSibling
}

// The causes that end units beside one that failed.
var (
	errSibling = &steps.Error{Kind: steps.KindCancelled, Message: "cancelled: another step failed"}
	errUsedUp  = &steps.Error{Kind: steps.KindCancelled, Message: "cancelled: the budget is used up"}
)

// waits reports whether a step waits for a person.
func waits(results []*StepResult) bool {
	return slices.ContainsFunc(results, func(r *StepResult) bool { return r != nil && r.Status == steps.Waiting })
}

// failedIn returns the failures among results, and inside those that wait, except those that
// count as success.
func failedIn(results []*StepResult) (failed []*StepResult) {
	for _, r := range results {
		switch {
		case r == nil:
		case r.Status == steps.Waiting && !r.tolerated:
			failed = append(failed, failedIn(r.inner)...)
		case r.Status != steps.Waiting && !r.good():
			failed = append(failed, r)
		}
	}
	return failed
}
