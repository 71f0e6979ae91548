package runner

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// An elementSum makes of the results of elements that of their step, as if they
// ended in their order. Its zero value has none.
type elementSum struct {
	next  int
	ahead map[int]*steps.Result // of those that ended before one in front of them

	spent     spending
	failures  int             // those that did not succeed, and were not cancelled
	failed    *elementFailure // the first of them
	stopped   int             // those that were cancelled
	cancelled *elementFailure // the first of them
	unbegun   int
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
			s.unbegun++
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
	if r.Status == steps.Cancelled {
		s.stopped++
		s.cancelled = cmp.Or(s.cancelled, failure)
	} else {
		s.failures++
		s.failed = cmp.Or(s.failed, failure)
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
	failure.Message += s.others()
	r.Error = &failure
}

// others counts those that did not succeed beside the one that speaks for all:
// those that never began apart, for nothing else tells of them.
func (s *elementSum) others() string {
	failed, stopped, unbegun := s.failures-1, s.stopped-s.unbegun, s.unbegun
	if s.failed == nil {
		failed = 0
		if stopped--; stopped < 0 {
			stopped, unbegun = 0, unbegun-1
		}
	}
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{{failed, "more did not succeed"}, {stopped, "more cancelled"}, {unbegun, "never began"}} {
		if part.n > 0 {
			parts = append(parts, tools.Thousands(part.n)+" "+part.text)
		}
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
