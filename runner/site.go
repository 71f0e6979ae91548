package runner

import (
	"context"
	"maps"
	"time"

	"github.com/a-seed-11b9befa/flow/providers/cache"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A site is where a step runs: what its expressions see, what bounds it, and its address. It is narrowed by
// copies: from that of a list to those of its steps, and from that to an element, an attempt, and the list inside.
type site struct {
	*exec
	in      *instance
	at      *workEnv
	visible *visibleSteps  // the steps that have ended
	extras  map[string]any // other names: item, index, round

	previous *visibleSteps // those of the round before; nil: there are no rounds

	parent journal.Address // the group or the used workflow that the list is in
	round  int             // of that group; 0 if it has none

	budget *budget // of what works here

	// What ends the steps of the list before they are done, beside an interruption of the run.
	around       context.Context // ends by a failure beside a unit around the list, and by the timeout of one
	unended      context.Context // ends when a step ends the list as succeeded as well
	beside       context.Context // ends by a failure in the list as well
	forQuestions context.Context // ends by timeouts, and when a step ends a list as succeeded: a question is not withdrawn because something failed
	always       bool            // the list is in a step with always(), which has time after an interruption

	place       *place      // of the nearest element around; nil: there is none
	itemAround  *itemAround // the item of that element
	labelAround string      // its name for people
	tolerated   bool        // the failure of a step around the list counts as success, whatever else fails in it

	// In a dry run:
	waitsFor string // the path of a step that would run again, for which the unit waits; "": there is none
	again    bool   // the steps may have run before, in what begins again around them

	step *workflows.Step // that of a list: the one around it, by whose rules expressions read files; nil: it is at the top
	unit journal.Address // of the step
	path string          // of the step: group/inner

	item     any    // the item, if it is an element
	labelled bool   // label is known
	label    string // the element's name for people; "" if it has none

	inputs map[string]any // of the workflow that a call of a tool runs; nil: the step says what they are

	kept *cache.Conversation // the kept answers of its model, in all attempts; nil: none are kept
}

// ofStep returns the site of a step of the list.
func (t *site) ofStep(step *workflows.Step) *site {
	own := t.located(t.parent.Child(step.Name).WithRound(t.round))
	own.step, own.visible, own.budget = step, t.visible.forUnit(), t.budget.forStep(step)
	return own
}

// located returns the site with an address.
func (t *site) located(u journal.Address) *site {
	own := new(*t)
	own.unit, own.path = u, u.Path()
	return own
}

// element returns the site of an element.
func (t *site) element(index int, item any) *site {
	own := t.with(t.step.As, item).with("index", index).located(t.unit.WithElement(index))
	own.item = item
	return own
}

// numbered returns the site of one attempt of the step.
func (t *site) numbered(n int) *site { return t.located(t.unit.WithAttempt(n)) }

// inside returns the site of the steps inside a group.
func (t *site) inside() *site {
	child := new(*t)
	child.parent, child.round = t.unit, 0
	if t.unit.Attempt() == 1 { // addresses name the attempts around a unit from the second on
		child.parent = t.unit.WithAttempt(0)
	}
	child.visible = t.visible.listInside()
	child.item, child.labelled, child.label, child.inputs, child.kept = nil, false, "", nil, nil
	return child
}

// entering returns the site of the steps of a workflow that this step uses. They see none of
// the steps around them.
func (t *site) entering(in *instance) *site {
	child := t.inside()
	child.in, child.at, child.extras, child.visible, child.previous = in, in.at, nil, newVisible(), nil
	child.budget = t.budget.open(in.mayUse(), in.budgetOwner(), "")
	return child
}

// nextRound returns the site of one round of a group. It knows the steps of the round before, as previous,
// and none of the rounds before that.
func (t *site) nextRound(round int, previous *visibleSteps) *site {
	child := t.with("round", round)
	child.round = round
	child.visible, child.previous = t.visible.listInside(), &visibleSteps{list: previous.list}
	return child
}

// with returns the site with one more name.
func (t *site) with(name string, value any) *site {
	own := new(*t)
	if own.extras = maps.Clone(t.extras); own.extras == nil {
		own.extras = map[string]any{}
	}
	own.extras[name] = value
	return own
}

// names returns the names that the expressions of a step see, extras last. glob and file end
// with ctx.
func (t *site) names(ctx context.Context, more workflows.Env) workflows.Env {
	names := t.in.namesAt(ctx, t.at, t.step)
	names["steps"] = workflows.StepReader(t.visible.read)
	if t.previous != nil {
		names["previous"] = workflows.StepReader(t.previous.readPrevious)
	}
	maps.Copy(names, t.extras)
	maps.Copy(names, more)
	return names
}

// bounds returns the context that ends when the step has to.
func (t *site) bounds() context.Context {
	switch {
	case t.step.If.UsesAlways():
		return t.around
	case t.step.If.UsesStatus():
		return t.unended
	}
	return t.beside
}

// interruption returns the context that ends when the run's interruption reaches the step: one with
// always(), or inside one, has time left.
func (t *site) interruption() context.Context {
	if t.always || t.step.If.UsesAlways() {
		return t.over
	}
	return t.interrupted
}

// narrowed returns the site with what bounds the steps inside, and a function that lets go of that; a limit of 0
// is none.
func (t *site) narrowed(limit time.Duration) (inner *site, release func()) {
	inner = new(*t)
	inner.around, inner.always, inner.tolerated = t.bounds(), t.always || t.step.If.UsesAlways(), t.tolerated || tolerates(t.step)
	if limit <= 0 {
		return inner, func() {}
	}
	var cancel, cancelQuestions context.CancelFunc
	inner.around, cancel = context.WithTimeoutCause(inner.around, limit, timeIsUp(limit))
	inner.forQuestions, cancelQuestions = context.WithTimeoutCause(t.forQuestions, limit, timeIsUp(limit))
	return inner, func() { cancel(); cancelQuestions() }
}

// tolerates reports whether the failure of a step counts as success, whatever fails in it.
func tolerates(step *workflows.Step) bool {
	return step.OnError == workflows.OnErrorContinue && step.MaxFailures == nil
}

// observe emits an event of the step.
func (t *site) observe(e steps.Event) { t.tell(Event{Unit: t.unit, Event: e}) }

// result returns a result of the step to be completed.
func (t *site) result() *StepResult {
	return &StepResult{
		Kind: t.step.Kind, Unit: t.unit.WithAttempt(0), id: t.step.ID, path: t.path, Label: t.label, forgive: t.step.OnError == workflows.OnErrorContinue,
	}
}
