package runner

import (
	"context"

	"github.com/sourcegraph/conc/pool"
)

// drive is the engine of this process: it starts what the plan names, each at
// once in a goroutine, until nothing runs and nothing is due. It returns when all
// that it started has ended. Once ctx has ended nothing more starts. Goroutines
// are used again: the stacks of those that have worked need not grow any more.
//
// begin and ended are called by one goroutine, in turn with the plan. What
// begin returns runs in a goroutine, and gives the task's outcome. If it
// panics, drive panics with it when all have ended.
func drive(ctx context.Context, p plan, past *past, begin func(task int) func() outcome, ended func(task int)) {
	type end struct {
		task    int
		outcome outcome
	}
	workers := pool.New()
	defer workers.Wait()
	ends := make(chan end)
	for {
		if ctx.Err() == nil {
			for _, i := range p.next(past) {
				past.start(i)
				run := begin(i)
				workers.Go(func() {
					e := end{task: i, outcome: bad}
					defer func() { ends <- e }() // also when it panics: the driver waits for it
					e.outcome = run()
				})
			}
		}
		if past.running == 0 {
			return
		}
		e := <-ends
		past.end(e.task, e.outcome)
		ended(e.task)
	}
}

// repeat does work, most times at most, for as long as it asks to be done
// again, one after the other. do gets the number of the time, from 1. It reports
// whether the last one asked for another.
func repeat(ctx context.Context, most int, do func(n int) outcome) (wanting bool) {
	plan, past := repeatPlan{most}, newPast(0)
	for ctx.Err() == nil {
		due := plan.next(past)
		if len(due) == 0 {
			break
		}
		past.start(due[0])
		past.end(due[0], do(due[0]+1))
	}
	return past.wanting()
}
