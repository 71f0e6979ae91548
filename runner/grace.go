package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// outlive makes the context of steps that ask always(). It ends with that of the
// run, but where the run is interrupted from outside only once the time of grace
// is over. stop releases what it takes.
func (r *run) outlive(ctx context.Context) (stop func()) {
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r.whole, r.late = ctx, late
	over := &steps.Error{Kind: steps.KindCancelled, Message: fmt.Sprintf("the %v that a step with always() has after an interrupt are over", r.Grace)}
	var lock sync.Mutex
	var timer *time.Timer
	unwatch := context.AfterFunc(ctx, func() {
		if !r.interrupted(ctx) {
			cancel(context.Cause(ctx))
			return
		}
		lock.Lock()
		defer lock.Unlock()
		if late.Err() == nil {
			timer = time.AfterFunc(r.Grace, func() { cancel(over) })
		}
	})
	return func() {
		unwatch()
		cancel(nil)
		lock.Lock()
		defer lock.Unlock()
		if timer != nil {
			timer.Stop()
		}
	}
}

// interrupted reports whether a context of the run was ended from outside, and not
// by what happened in the run.
func (r *run) interrupted(ctx context.Context) bool {
	if ctx.Err() == nil || r.whole.Err() == nil {
		return false
	}
	cause := context.Cause(r.whole)
	return errors.Is(context.Cause(ctx), cause) && causeError(cause).Kind == steps.KindCancelled
}

// tidying is a context that ends with ctx, but where that ended since the run was
// interrupted: then it lasts for the time of grace.
func (r *run) tidying(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.Grace <= 0 || ctx.Err() != nil && !r.interrupted(ctx) {
		return ctx, func() {}
	}
	during, cancel := context.WithCancelCause(r.late)
	unwatch := context.AfterFunc(ctx, func() {
		if !r.interrupted(ctx) {
			cancel(context.Cause(ctx))
		}
	})
	return during, func() { unwatch(); cancel(nil) }
}

// asksAlways reports whether the step runs after an interrupt, too.
func asksAlways(step *workflows.Step) bool { return step.If != nil && step.If.UsesAlways() }
