package runner

import (
	"context"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A list runs steps: each once those that it needs have ended.
type list struct {
	*site
	finish  context.CancelCauseFunc // ends unended
	fail    context.CancelCauseFunc // ends beside
	hurry   context.CancelCauseFunc // ends forQuestions
	lasting context.Context         // forQuestions of steps with always()
	earlier *history.Unit           // what is known of the unit around the steps
	on      frontier                // what all of the steps depend on: the round before
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
	stepEnds chan stepEnd
}

type stepEnd struct {
	index  int
	result *StepResult
}

// list runs steps until all of them have ended, or wait for a person, or need one that waits.
func (t *site) list(earlier *history.Unit, on frontier, all []*workflows.Step) *list {
	l := &list{
		site: new(*t), earlier: earlier, on: on, steps: all, lasting: t.forQuestions,
		results: make([]*StepResult, len(all)), dones: make([]frontier, len(all)), begun: make([]bool, len(all)), needsMet: make([]bool, len(all)), reruns: make([]string, len(all)), stepEnds: make(chan stepEnd, len(all)),
	}
	l.unended, l.finish = context.WithCancelCause(t.around)
	l.beside, l.fail = context.WithCancelCause(l.unended)
	l.forQuestions, l.hurry = context.WithCancelCause(t.forQuestions)
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
		end := <-l.stepEnds // it has entered for this goroutine
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
	l.needsMet[i] = !slices.ContainsFunc(step.Needs, func(k int) bool { return !l.results[k].good() || !l.needsMet[k] })
	u := &unit{site: l.ofStep(step), earlier: l.historyOfStep(l.earlier, step.Name), on: l.dependsOn(i), needsMet: l.needsMet[i]}
	if step.If.UsesAlways() {
		u.forQuestions = l.lasting
	}
	if l.dry != nil {
		u.waitsFor = l.waitsForOf(i)
	}
	if r := u.recall(); r != nil { // whatever has ended the list meanwhile
		return r
	}
	open := u.earlier.IsOpen() && l.needsMet[i]
	over := (l.ended || l.usedUp != nil) && !step.If.UsesAlways() || (l.broken || !l.needsMet[i]) && !step.If.UsesStatus()
	if !open && (over || l.around.Err() != nil || u.interruption().Err() != nil) {
		return u.skips(u.earlier)
	}
	l.running++
	u.launch(func(r *StepResult) { l.stepEnds <- stepEnd{i, r} })
	return nil
}

// take applies that a step has ended, or waits for a person.
func (l *list) take(i int, r *StepResult) {
	if l.results[i] = r; l.dry != nil {
		if l.reruns[i] = l.waitsForOf(i); r.unknown {
			l.reruns[i] = r.path
		}
	}
	if r.Status == steps.Waiting {
		return
	}
	if l.dones[i] = l.done(l.parent.Child(l.steps[i].Name)); r.Status == steps.Skipped {
		l.dones[i] = l.dones[i].with(l.dependsOn(i))
	}
	l.visible.add(r)
	if end := l.steps[i].End; end != nil && !end.Fails && r.Status == steps.Succeeded && !l.broken {
		l.ended = true
		l.finish(errEnded)
		l.hurry(errEnded)
	}
	if l.budget.hasEnded(r.Error) {
		l.usedUp = r.Error
	}
	if !r.good() {
		l.broken = true
		l.fail(beside(kindOf(r.Error)))
	}
}

// waitsForOf returns the path of a step that would run again in a dry run, and for which a step waits: of one on
// which it depends, if there is one.
func (l *list) waitsForOf(i int) string {
	for _, k := range slices.Concat(l.steps[i].Depends, l.steps[i].Needs) {
		if l.reruns[k] != "" {
			return l.reruns[k]
		}
	}
	return l.waitsFor
}

// dependsOn returns how far the steps have come on which a step depends: those that it names or
// refers to and, if its condition looks at the status of others, all that it needs.
func (l *list) dependsOn(i int) frontier {
	on := l.on
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

// beside returns why a unit has to end because another one has failed with an error of that kind.
func beside(kind steps.Kind) error {
	if kind == steps.KindBudget {
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
