package tools

import (
	"context"

	"github.com/sourcegraph/conc"
)

// MaxParallel is how many calls of a turn run at the same time where nothing
// else is said.
const MaxParallel = 8

// RunAll calls run(i) once for each of effects, at most limit at the same time
// (0 stands for [MaxParallel]), and returns when all have returned. A call
// starts when every earlier one that it conflicts with has ended, and of those
// that may start, the earliest does. So results[i] has one writer, and calls
// whose order matters run in their order.
//
// Once ctx has ended the calls that are left no longer wait for each other: run
// is to look at ctx first, and only answers then. A panic of run goes through
// to the caller, when the others have ended.
func RunAll(ctx context.Context, effects []Effects, limit int, run func(i int)) {
	if len(effects) == 1 { // mostly; no goroutine is worth it
		run(0)
		return
	}
	if limit <= 0 {
		limit = MaxParallel
	}
	s := newSchedule(effects)
	ended := make(chan int, len(effects))
	stopped := ctx.Done()
	var running conc.WaitGroup
	defer running.Wait()
	for active := 0; s.left > 0; {
		if i := s.next(); i >= 0 && active < limit {
			s.start(i)
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
			s.end(i)
		case <-stopped:
			stopped = nil
			s.release()
		}
	}
}

// A schedule says which call may start next.
type schedule struct {
	waits   []int   // how many calls a call waits for; started ones have -1
	blocked [][]int // the calls that wait for a call
	first   int     // no earlier one is left to start
	left    int
}

func newSchedule(effects []Effects) *schedule {
	s := &schedule{waits: make([]int, len(effects)), blocked: make([][]int, len(effects)), left: len(effects)}
	for later := range effects {
		for earlier := range later {
			if effects[earlier].Conflict(effects[later]) {
				s.waits[later]++
				s.blocked[earlier] = append(s.blocked[earlier], later)
			}
		}
	}
	return s
}

// next returns the earliest call that waits for none, or -1.
func (s *schedule) next() int {
	for s.first < len(s.waits) && s.waits[s.first] < 0 {
		s.first++
	}
	for i := s.first; i < len(s.waits); i++ {
		if s.waits[i] == 0 {
			return i
		}
	}
	return -1
}

func (s *schedule) start(i int) {
	s.waits[i] = -1
	s.left--
}

func (s *schedule) end(i int) {
	for _, later := range s.blocked[i] {
		if s.waits[later] > 0 {
			s.waits[later]--
		}
	}
}

// release lets go all that wait.
func (s *schedule) release() {
	for i, n := range s.waits {
		if n > 0 {
			s.waits[i] = 0
		}
	}
}
