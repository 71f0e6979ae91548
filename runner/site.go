package runner

import (
	"cmp"
	"path"
	"strconv"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A site is one step where it runs: in its scope, for one element if it has a
// foreach.
type site struct {
	*scope
	step  *workflows.Step
	path  string // group/inner
	place string // the same with every index

	shelf *folderShelf // takes the result of one element of the step; nil for the step itself
}

func (s *scope) site(step *workflows.Step) *site {
	scope := *s
	scope.reading = &reading{around: s.reading}
	if looksAtStatus(step) {
		scope.timeLeft = nil // it may be there to tidy up once the time is up
	}
	return &site{scope: &scope, step: step, path: path.Join(s.path, step.Name), place: path.Join(s.place, step.Name)}
}

// element is the site of one element of the step's foreach.
func (t *site) element(index int, shelf *folderShelf) *site {
	inner := t.with(t.step.As, shelf.items[index]).with("index", index)
	inner.exact = t.exact || t.index != nil
	inner.index = &index
	return &site{scope: inner, step: t.step, path: t.path, place: path.Join(t.place, strconv.Itoa(index)), shelf: shelf}
}

// attempt is the site of one attempt of the step.
func (t *site) attempt(n int) *site {
	again := *t
	scope := *t.scope
	scope.tries += try("attempt", n)
	if scope.number = 0; n > 1 {
		scope.number = n
	}
	again.scope = &scope
	return &again
}

// inside is the scope of the steps of a group.
func (t *site) inside() *scope {
	child := *t.scope
	child.path, child.place, child.number = t.path, t.place, 0
	child.known = &known{around: t.known}
	return &child
}

// entering is the scope of the steps of a workflow that this step uses. They
// see nothing of what is around them.
func (t *site) entering(in *instance) *scope {
	child := t.inside()
	child.in, child.extras, child.known, child.timeLeft = in, nil, &known{}, t.timeLeft.within(in)
	return child
}

// tell emits an event of the step.
func (t *site) tell(e Event, inner steps.Event) {
	e.Step, e.Index, e.Round = t.path, t.index, t.round
	e.StepAttempt = cmp.Or(e.StepAttempt, t.number)
	if t.exact || t.tries != "" {
		e.Place = t.place + t.tries
	}
	t.run.emit(e, inner)
}

// result is the beginning of the step's result.
func (t *site) result() *StepResult {
	return &StepResult{Kind: t.step.Kind, id: t.step.ID, path: t.path, place: t.place, forgive: t.step.OnError == workflows.OnErrorContinue}
}
