package runner

import (
	"github.com/a-seed-11b9befa/flow/providers/kept"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A site is one step where it runs: in its scope, for one element if it has a
// foreach, in one attempt once it is tried.
type site struct {
	*scope
	where
	step *workflows.Step

	node *node

	item     any    // of the element, where it is one
	labelled bool   // the label is known
	label    string // of that element; "" where nothing says what it is called

	kept *kept.Conversation // what its model has answered, in all attempts; nil: nothing is kept
}

func (s *scope) site(step *workflows.Step) *site {
	scope := *s
	scope.step, scope.reading = step, &reading{around: s.reading}
	if looksAtStatus(step) {
		scope.timeLeft = nil // it may be there to tidy up once the time is up
	}
	return &site{scope: &scope, where: whereIs(s.around.Child(step.Name).WithRound(s.round)), step: step}
}

// element is the site of an element.
func (t *site) element(index int, item any) *site {
	inner := t.with(t.step.As, item).with("index", index)
	return &site{scope: inner, where: whereIs(t.unit.WithElement(index)), step: t.step, item: item}
}

// attempt is the site of one attempt of the step.
func (t *site) attempt(n int) *site {
	tried := *t
	tried.where = whereIs(t.unit.WithAttempt(n))
	return &tried
}

// inside is the scope of the steps of a group.
func (t *site) inside() *scope {
	child := *t.scope
	child.around, child.round = t.unit, 0
	if t.unit.Attempt() == 1 { // what is in a unit names attempts around it from the second on
		child.around = t.unit.WithAttempt(0)
	}
	child.known = &known{around: t.known}
	return &child
}

// entering is the scope of the steps of a workflow that this step uses. They
// see nothing of what is around them.
func (t *site) entering(in *instance) *scope {
	child := t.inside()
	child.in, child.at, child.extras, child.known, child.timeLeft = in, in.at, nil, &known{}, t.timeLeft.within(in)
	return child
}

// tell emits an event of the step.
func (t *site) tell(e *Event) {
	if e.Unit == (unit.Unit{}) {
		e.Unit = t.unit
	}
	e.Step, e.Index, e.Round, e.Place = t.path, t.index, t.where.round, t.place
	if n := e.Unit.Attempt(); n > 1 {
		e.StepAttempt = n
	}
	t.run.emit(e)
}

// result is the beginning of the step's result.
func (t *site) result() *StepResult {
	return &StepResult{
		Kind: t.step.Kind, Unit: t.unit.WithAttempt(0), id: t.step.ID, path: t.path, label: t.label, forgive: t.step.OnError == workflows.OnErrorContinue,
	}
}
