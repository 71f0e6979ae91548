package runner

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/steps"
)

// An elementSum makes of the results of elements that of their step, as if they
// ended in their order. Its zero value has none.
type elementSum struct {
	next  int
	ahead map[int]*steps.Result // of those that ended before one in front of them

	spent     spending
	failures  int
	failed    *elementFailure // the first that did not succeed, and was not cancelled
	cancelled *elementFailure // the first that was
}

type elementFailure struct {
	index  int
	result *steps.Result
}

// take counts an element that has ended. What it said is not kept.
func (s *elementSum) take(i int, r *steps.Result) {
	lean := *r
	lean.Text, lean.Stdout, lean.Stderr, lean.Output = "", "", "", nil
	if s.ahead == nil {
		s.ahead = map[int]*steps.Result{}
	}
	s.ahead[i] = &lean
	for s.ahead[s.next] != nil {
		s.add(s.ahead[s.next])
	}
}

// rest counts the elements up to n; those that did not run have come to never.
func (s *elementSum) rest(n int, never *steps.Result) {
	for s.next < n {
		if r := s.ahead[s.next]; r != nil {
			s.add(r)
		} else {
			s.add(never)
		}
	}
}

func (s *elementSum) add(r *steps.Result) {
	failure := &elementFailure{s.next, r}
	delete(s.ahead, s.next)
	s.next++
	s.spent = s.spent.and(r)
	if r.Status == steps.Succeeded {
		return
	}
	s.failures++
	switch {
	case r.Status != steps.Cancelled && s.failed == nil:
		s.failed = failure
	case r.Status == steps.Cancelled && s.cancelled == nil:
		s.cancelled = failure
	}
}

// tell says in the result of the step what its elements came to: the first one
// that failed speaks for it.
func (s *elementSum) tell(r *StepResult) {
	r.Status, r.StopReason = steps.Succeeded, steps.ReasonCompleted
	r.spent(s.spent)
	first := s.failed
	if first == nil {
		first = s.cancelled
	}
	if first == nil {
		return
	}
	r.Status, r.StopReason = first.result.Status, first.result.StopReason
	failure := *first.result.Error
	failure.Message = fmt.Sprintf("element %d: %s", first.index, failure.Message)
	if s.failures > 1 {
		failure.Message += fmt.Sprintf(" (and %d more that did not succeed)", s.failures-1)
	}
	r.Error = &failure
}
