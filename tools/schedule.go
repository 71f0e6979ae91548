package tools

import (
	"context"

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

// schedule says which call may start next.
type schedule struct {
	waits   []int   // how many calls each call waits for; -1 if it has started
	blocked [][]int // the calls that wait for each call
	first   int     // all earlier calls have started
	left    int     // how many calls have not started
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

// release makes no call wait any more.
func (s *schedule) release() {
	for i, n := range s.waits {
		if n > 0 {
			s.waits[i] = 0
		}
	}
}
