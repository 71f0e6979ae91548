package runner

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// leave ends the run if everything that is left waits for a person. It can be resumed.
func (e *engine) leave() {
	e.mu.Lock()
	waits := e.plan.Waiting() && e.result == nil && e.broken == nil
	e.mu.Unlock()
	if !waits {
		return
	}
	result, err := e.leftWaiting()
	if err != nil {
		e.bug(err)
		return
	}
	e.endRun(nil, result)
}

// leftWaiting returns the result of such a run; a failure of something else takes precedence.
func (e *engine) leftWaiting() (*Result, error) {
	r, err := ReadResult(e.Dir)
	if err != nil {
		return nil, err
	}
	r.Status, r.Error, r.Running, r.Outputs, r.Inputs = steps.Waiting, nil, false, Values{}, e.top.inputs
	failed, err := e.failedIn(e.root)
	if err != nil {
		return nil, err
	}
	r.failBy(failed)
	e.mu.Lock()
	cause := e.root.cause
	e.mu.Unlock()
	if cause != nil {
		r.interrupted(cause)
	}
	r.Finished = time.Now().UTC()
	r.Duration = e.run.took().Milliseconds()
	return r, nil
}

// failedIn returns the failures inside a unit that has not ended, except those that count as
// success.
func (e *engine) failedIn(n *node) (failed []*StepResult, err error) {
	if n.step != nil && n.step.OnError.GoesOn() {
		return nil, nil
	}
	add := func(over keptResult, step *workflows.Step) {
		r, wrong := e.restore(over, step, n.isFan())
		if err = errors.Join(err, wrong); err == nil && !r.good() {
			failed = append(failed, r)
		}
	}
	for inner := range n.within() {
		switch {
		case !inner.over.is():
			deeper, wrong := e.failedIn(inner)
			failed, err = append(failed, deeper...), errors.Join(err, wrong)
		case n.elements == nil:
			add(inner.over, inner.step)
		}
	}
	if n.elements != nil && n.elements.failed {
		for _, i := range slices.Sorted(maps.Keys(n.elements.reasons)) {
			add(n.elements.over[i], n.step)
		}
	}
	return failed, err
}

// hangUp ends all questions to the person at the terminal.
func (e *engine) hangUp(cause error) {
	for _, a := range e.doing {
		if a.asks || a.task.Do != plan.Conclude && len(e.waitsOf(a.task.Unit)) > 0 {
			a.end(cause)
		}
	}
}
