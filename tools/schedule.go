package tools

import (
	"context"
	"slices"

	"github.com/sourcegraph/conc"
)

// MaxParallel is the default for how many calls of a turn run at the same time.
const MaxParallel = 8

// RunAll calls run(i) once for each of effects, at most limit at the same time (0 is
// [MaxParallel]), and returns when all have returned. A call starts when every earlier call
// that it conflicts with has ended; of the calls that may start, the earliest starts first.
// So results[i] has one writer, and calls whose order matters run in order.
//
// When ctx is done, the remaining calls no longer wait for each other: run has to check ctx
// first. A panic of run reaches the caller when the others have ended.
func RunAll(ctx context.Context, effects []Effects, limit int, run func(i int)) {
	if len(effects) == 1 { // the usual case needs no goroutine
		run(0)
		return
	}
	if limit <= 0 {
		limit = MaxParallel
	}
	waits, blocked := conflicts(effects)
	left := make([]int, len(effects)) // the calls that have not started
	for i := range left {
		left[i] = i
	}
	ready := func(i int) bool { return waits[i] == 0 || ctx.Err() != nil }
	ended := make(chan int, len(effects))
	stopped := ctx.Done()
	var running conc.WaitGroup
	defer running.Wait()
	for active := 0; len(left) > 0; {
		if at := slices.IndexFunc(left, ready); at >= 0 && active < limit {
			i := left[at]
			left = slices.Delete(left, at, at+1)
			active++
			running.Go(func() {
				defer func() { ended <- i }()
				run(i)
			})
			continue
		}
		select {
		case i := <-ended:
			active--
			for _, later := range blocked[i] {
				waits[later]--
			}
		case <-stopped:
			stopped = nil // all are ready now
		}
	}
}

// conflicts returns how many calls each call waits for, and which calls wait for each.
func conflicts(effects []Effects) (waits []int, blocked [][]int) {
	waits, blocked = make([]int, len(effects)), make([][]int, len(effects))
	for later := range effects {
		for earlier := range later {
			if effects[earlier].Conflict(effects[later]) {
				waits[later]++
				blocked[earlier] = append(blocked[earlier], later)
			}
		}
	}
	return waits, blocked
}
