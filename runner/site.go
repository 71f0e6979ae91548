package runner

import (
	"github.com/a-seed-11b9befa/flow/providers/cache"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A site is a step where it runs: in its scope, for one element if it is a
// foreach, and in one attempt once that begins.
type site struct {
	*scope
	unit journal.Address // its address
	path string          // of its step: group/inner
	step *workflows.Step

	item     any    // the item, if it is an element
	labelled bool   // label is known
	label    string // the element's name for people; "" if it has none

	inputs map[string]any // of the workflow that a call of a tool runs; nil: the step says what they are

	kept *cache.Conversation // the kept answers of its model, in all attempts; nil: none are kept
}

func (s *scope) site(step *workflows.Step) *site {
	scope := *s
	scope.step, scope.visible = step, s.visible.forUnit()
	if step.If.UsesStatus() {
		scope.timeLeft = nil // it may tidy up after the time is up
	}
	if step.If.UsesAlways() {
		scope.ender = nil
	}
	t := &site{scope: &scope, step: step}
	return t.located(s.around.Child(step.Name).WithRound(s.round))
}

// located sets the address, and returns t.
func (t *site) located(u journal.Address) *site {
	t.unit, t.path = u, u.Path()
	return t
}

// element returns the site of an element.
func (t *site) element(index int, item any) *site {
	inner := t.with(t.step.As, item).with("index", index)
	element := &site{scope: inner, step: t.step, item: item}
	return element.located(t.unit.WithElement(index))
}

// numbered returns the site of one attempt of the step.
func (t *site) numbered(n int) *site {
	tried := *t
	return tried.located(t.unit.WithAttempt(n))
}

// inside returns the scope of the steps of a group.
func (t *site) inside() *scope {
	child := *t.scope
	child.around, child.round = t.unit, 0
	if t.unit.Attempt() == 1 { // addresses name the attempts around a unit from the second on
		child.around = t.unit.WithAttempt(0)
	}
	child.visible = t.visible.listInside()
	return &child
}

// entering returns the scope of the steps of a workflow that this step uses. They see none of
// the steps around them.
func (t *site) entering(in *instance) *scope {
	child := t.inside()
	child.in, child.at, child.extras, child.visible, child.previous, child.timeLeft = in, in.at, nil, newVisible(), nil, t.timeLeft.within(in.Budget.Time, in.timeUsedUp())
	return child
}

// observe emits an event of the step.
func (t *site) observe(e steps.Event) { t.exec.tell(Event{Unit: t.unit, Event: e}) }

// result returns a result of the step to be completed.
func (t *site) result() *StepResult {
	return &StepResult{
		Kind: t.step.Kind, Unit: t.unit.WithAttempt(0), id: t.step.ID, path: t.path, Label: t.label, forgive: t.step.OnError == workflows.OnErrorContinue,
	}
}
