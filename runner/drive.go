package runner

import (
	"context"

	"github.com/sourcegraph/conc"
)

// drive is the engine of this process: it starts what the plan names, each in
// a goroutine of its own, until nothing runs and nothing is due. It returns
// when all that it started has ended. Once ctx has ended nothing more starts.
//
// begin and ended are called by one goroutine, in turn with the plan. What
// begin returns runs in the new one, and reports whether the unit ended well. If
// it panics, drive panics with it when all have ended.
func drive(ctx context.Context, p plan, past *past, begin func(unit int) func() (good bool), ended func(unit int)) {
	type end struct {
		unit int
		good bool
	}
	var group conc.WaitGroup
	defer group.Wait()
	ends := make(chan end)
	for {
		if ctx.Err() == nil {
			for _, i := range p.next(past) {
				past.start(i)
				run := begin(i)
				group.Go(func() {
					e := end{unit: i}
					defer func() { ends <- e }() // also when it panics: the driver waits for it
					e.good = run()
				})
			}
		}
		if past.running == 0 {
			return
		}
		e := <-ends
		past.end(e.unit, e.good)
		ended(e.unit)
	}
}
