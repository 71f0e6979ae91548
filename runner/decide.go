package runner

import (
	"cmp"
	"context"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// stands reports whether what was decided still counts: it is later than the records on which it depends, and
// than the run's files.
func (e *exec) stands(d history.Decision, on int64) bool { return d.Seq > max(on, e.records.Changed) }

// decide evaluates what the file has under a key, on which it depends how the unit goes on, unless it may not go
// on any more. In a dry run, what is not known is taken to be the value assumed. If end is not nil, it is how the
// unit ends instead: because of bar, an interruption, or a mistake in the file.
func decide[T any](u *unit, key string, bar func() error, assumed T, eval func(context.Context) (T, error)) (value T, end *steps.Result) {
	u.barrier.pass()
	ctx, cancel := u.context()
	defer cancel()
	if u.ticket != nil {
		_ = u.ticket.wait(ctx, u.observe)
	}
	if cause := bar(); cause != nil {
		return value, new(steps.Interrupted(cause))
	}
	value, err := eval(ctx)
	if u.dry.assumes(u, key, cmp.Or(u.in.unknown, err)) {
		return assumed, nil
	}
	if err != nil {
		return value, new(unprepared(ctx, mistake(key, err)))
	}
	return value, nil
}

// undecided ends the unit as [decide] says. A mistake in the file is not tolerated by on_error.
func (u *unit) undecided(end *steps.Result) *StepResult {
	r := u.resultOf(*end)
	r.forgive = r.forgive && end.Status != steps.Failed
	return u.finish(r)
}

// decideIf decides whether the step runs. It returns the step's result if it does not.
func (u *unit) decideIf() *StepResult {
	if e := u.earlier; u.stands(e.If, u.on.decided) {
		if !e.If.Holds {
			return u.skips(e)
		}
		return nil
	}
	holds, end := decide(u, "if", u.stop, false, func(ctx context.Context) (bool, error) {
		return u.step.If.Holds(u.names(ctx, workflows.Env{
			"success": func() bool { return u.needsMet },
			"failure": func() bool { return !u.needsMet },
			"always":  func() bool { return true },
		}))
	})
	switch {
	case end != nil && end.Status == steps.Failed:
		return u.undecided(end)
	case end != nil:
		return u.skips(u.earlier)
	}
	u.append(&entry{record: journal.Record{Kind: journal.Decided, About: journal.If, Unit: u.address(), Holds: holds}})
	if !holds {
		return u.skips(&history.Unit{})
	}
	return nil
}

// decideUntil decides after a round whether the group is done.
func (u *unit) decideUntil(t *site) (holds bool, end *steps.Result) {
	if e := u.earlier; e.Until.Round == t.round && u.stands(e.Until, u.done(u.address()).decided) {
		return e.Until.Holds, nil
	}
	holds, end = decide(u, "until", func() error { return u.stopInside(t) }, true, func(ctx context.Context) (bool, error) {
		return u.step.Group.Until.Holds(t.names(ctx, nil))
	})
	if end == nil {
		u.append(&entry{record: journal.Record{Kind: journal.Decided, About: journal.Until, Unit: u.address().WithAttempt(u.number), Count: t.round, Holds: holds}})
	}
	return holds, end
}
