package runner

import (
	"cmp"
	"context"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// composite runs a unit with steps inside: a group, or a step that uses a workflow.
func (u *unit) composite() *StepResult {
	s := u.takeUp()
	defer u.openBudget(s == continues || s == retries)()
	inner, release := u.narrowed(u.step.Timeout)
	defer release()
	ctx, cancel := u.joined(inner.around)
	defer cancel()
	inner.again = u.again || s == begins && u.earlier.Ended != 0
	if u.isElement {
		inner.labelAround = cmp.Or(u.label, u.labelAround)
	}
	return u.attempts(ctx, s, func(s standing) *StepResult {
		return u.guarded(func() *StepResult { return u.attemptInside(inner.numbered(u.number), s) })
	})
}

// attemptInside runs one attempt of a unit with steps inside.
func (u *unit) attemptInside(t *site, s standing) *StepResult {
	ctx, cancel := u.context()
	defer cancel()
	var inside *site
	var err error
	if s == continues && u.earlier.BeganSeq > u.records.Changed {
		u.start()
		inside, err = u.enterAgain(t)
	} else {
		u.barrier.pass()
		if cause := u.barred(); cause != nil {
			return t.resultOf(steps.Interrupted(cause))
		}
		inside, err = u.enterFirst(ctx, t)
		u.start()
	}
	if err != nil {
		return t.resultOf(unprepared(ctx, err))
	}
	r := t.result()
	r.begun = true
	if !t.step.Repeats() {
		l := inside.list(u.earlier, frontier{}, t.step.Inside())
		u.gather(r, l)
		u.returns(ctx, inside, r, l.ended)
		return r
	}
	return u.rounds(ctx, t, r, inside)
}

// enterFirst records that an attempt begins, and returns the site of the steps inside.
func (u *unit) enterFirst(ctx context.Context, t *site) (inside *site, err error) {
	placed, err := t.evalEnv(ctx)
	if u.dry.isUnknown(err) {
		placed, err = t, nil
	}
	if err != nil {
		return nil, err
	}
	var used *instance
	work := placed.newWork()
	if t.step.Use != nil {
		if used, err = placed.linkUsed(ctx); u.dry.isUnknown(cmp.Or(t.in.unknown, err)) {
			used, err = t.in.used(t.step.Use.Workflow), nil
			used.unknown = errUnknownInputs
		}
		if err != nil {
			return nil, err
		}
		work.Inputs = used.inputs
	}
	begins := &entry{record: journal.Record{Kind: journal.Began, Unit: t.unit, Label: t.label}}
	if t.step.Use != nil || t.hasOwnEnv() {
		begins.data = work
	}
	u.append(begins)
	u.earlier = u.historyOf(u.address())
	return u.siteInside(placed, used), nil
}

// enterAgain returns the site of the steps inside an attempt that continues, as it was when
// the attempt began.
func (u *unit) enterAgain(t *site) (*site, error) {
	if u.earlier.Work == 0 {
		placed, err := t.evalEnv(u.base)
		return u.siteInside(placed, nil), err
	}
	work, hidden, err := u.workAt(u.earlier.Work)
	if err != nil {
		return nil, err
	}
	placed := t
	if hidden {
		placed, err = t.evalEnv(u.base)
	} else {
		placed, err = t.recordedEnv(work)
	}
	if err != nil || t.step.Use == nil {
		return u.siteInside(placed, nil), err
	}
	used, err := placed.linkWith(u.base, work.Inputs)
	if err != nil {
		return nil, err
	}
	return u.siteInside(placed, used), nil
}

// siteInside returns the site of the steps inside an attempt. What one that continues has spent
// counts for the budget of the workflow that it uses.
func (u *unit) siteInside(t *site, used *instance) *site {
	if used == nil {
		return t.inside()
	}
	inside := t.entering(used)
	inside.budget.spent = u.earlier.Spent().Minus(u.earlier.SpentBefore)
	return inside
}

// rounds runs the rounds of a group until its condition holds, or a step ends the group.
func (u *unit) rounds(ctx context.Context, t *site, r *StepResult, inside *site) *StepResult {
	first, uncounted := 1, 0
	if e := u.earlier; e.BeganSeq > u.records.Changed {
		first, uncounted = max(e.Round(), 1), e.EndedRound
	}
	var previous [2]*visibleSteps // the steps of the two rounds before, the last one first
	for back := range previous {
		var err error
		if previous[back], err = u.stepsOfRound(first - 1 - back); err != nil {
			u.breaks(err)
			return t.resultOf(failed(err))
		}
	}
	var before frontier
	for round := first; ; round++ {
		now := inside.nextRound(round, previous[0])
		l := now.list(u.inRound(round), before, u.step.Inside())
		u.gather(r, l)
		r.Rounds = round
		if r.Status == steps.Stopped && round > 1 { // in the middle of the round
			now = inside.nextRound(round-1, previous[1])
			now.visible.list = previous[0].list
		}
		if r.Status != steps.Succeeded || l.ended || u.isLastRound(r, now, round-uncounted) {
			u.returns(ctx, now, r, l.ended)
			return r
		}
		before, previous = u.done(u.address()), [2]*visibleSteps{now.visible, previous[0]}
	}
}

// isLastRound reports whether the group ends after a round that succeeded: its condition holds or can't
// be evaluated, or it was the last one that may run.
func (u *unit) isLastRound(r *StepResult, t *site, count int) bool {
	group := u.step.Group
	holds, end := u.decideUntil(t)
	switch {
	case end != nil:
		r.Status, r.StopReason, r.Error = end.Status, end.StopReason, end.Error
	case !holds && count >= group.MaxRounds:
		r.Status, r.StopReason, r.Partial = steps.Stopped, steps.ReasonMaxRounds, true
		r.Error = &steps.Error{
			Kind: steps.KindLimit, Message: fmt.Sprintf("max_rounds: until was still false after %s: %s", quantity.Count(t.round, "round"), group.Until.Source()),
		}
	case !holds:
		return false
	}
	return true
}

// stepsOfRound returns the steps of a round before the one with which the unit begins or continues.
func (u *unit) stepsOfRound(round int) (*visibleSteps, error) {
	before := newVisible()
	if round < 1 {
		return before, nil
	}
	all := u.earlier.InRound(round)
	for _, step := range u.step.Inside() {
		e := all[step.Name]
		if e == nil || e.Ended == 0 {
			continue
		}
		r, err := u.store.result(e)
		if err != nil {
			return nil, err
		}
		r.id = step.ID
		before.add(r)
	}
	return before, nil
}

// inRound returns what earlier processes did in a round.
func (u *unit) inRound(round int) *history.Unit {
	if e := u.earlier; e.Round() == round || e.Round() == 0 {
		return e
	}
	return &history.Unit{Steps: u.earlier.Rounds[round]}
}

// gather makes the result of a unit from the results of the steps inside: the output of the last
// one, and the first failure.
func (u *unit) gather(r *StepResult, l *list) {
	for _, inner := range l.results {
		if inner != nil {
			r.unknown = r.unknown || inner.unknown
		}
	}
	if waits(l.results) {
		r.Status, r.inner = steps.Waiting, l.results
		r.withdraw = func() *StepResult {
			l.withdraw()
			l.run() // most of which are skipped
			u.gather(r, l)
			return r
		}
		r.tolerated = u.step.OnError.GoesOn()
		return
	}
	r.gather(l.results)
	if l.usedUp != nil && r.Status == steps.Succeeded {
		r.interrupt(l.usedUp)
		r.Partial = true
	}
	if cause := u.stopInside(l.site); cause != nil && r.Status == steps.Succeeded {
		r.interrupt(cause)
	}
}

// stopInside returns why the steps inside have to end; nil if they don't.
func (u *unit) stopInside(t *site) error {
	if t.around.Err() != nil {
		return context.Cause(t.around)
	}
	return u.stop()
}

// returns sets the outputs of a group, or of a used workflow, as the output of its step. Of a list that a
// step ended, those are absent that can't be evaluated.
func (u *unit) returns(ctx context.Context, inside *site, r *StepResult, ended bool) {
	step := u.step
	if r.Status == steps.Waiting || step.Use == nil && len(step.Group.Outputs) == 0 {
		return
	}
	if step.Use != nil && r.fatal && inside.in.owns(r.Error) {
		r.fatal = false
	}
	values, err := inside.outputs(ctx, step.Outputs())
	switch {
	case err == nil || r.unknown:
	case r.Status == steps.Succeeded && !ended:
		r.Status, r.StopReason, r.Error = steps.Failed, steps.ReasonInvalidOutput, asError(err)
	case ended || step.Group != nil:
		u.warn(err.Error())
	}
	r.Output = values.asMap()
	if len(values) > 0 {
		r.Text, r.whole = values.text(), nil
	}
}
