package runner

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An elementSum makes of the results of elements that of their step, as if they
// ended in their order. Its zero value has none.
type elementSum struct {
	next  int
	ahead map[int]*endedElement // that ended before one in front of them

	spent     spending
	counts    ElementCounts
	failures  int // without those that were cancelled
	cancelled int

	fatal   *endedElement // the first whose failure is the run's own
	failed  *endedElement // the first that failed otherwise
	stopped *endedElement // the first that was cancelled, or never began
}

// An endedElement is what is kept of an element until the sum is made.
type endedElement struct {
	index  int // in the list, with those that are left out
	label  string
	result steps.Result // without what it said
	fatal  bool
	never  bool // it did not begin
}

// end counts the i-th element, which has ended. Its index is that in the list with
// the ones that are left out.
func (s *elementSum) end(i, index int, r *StepResult) {
	if s.ahead == nil {
		s.ahead = map[int]*endedElement{}
	}
	s.ahead[i] = &endedElement{index: index, label: r.label, result: withoutWords(r.Result), fatal: r.fatal}
	for s.ahead[s.next] != nil {
		s.add(s.ahead[s.next])
	}
}

func withoutWords(r steps.Result) steps.Result {
	r.Text, r.Stdout, r.Stderr, r.Output = "", "", "", nil
	return r
}

// rest counts the other elements; those that did not run have come to never.
func (s *elementSum) rest(items []fanned, never *steps.Result) {
	for s.next < len(items) {
		if e := s.ahead[s.next]; e != nil {
			s.add(e)
			continue
		}
		s.counts.NotBegun++
		s.stopped = cmp.Or(s.stopped, &endedElement{index: items[s.next].index, result: *never, never: true})
		s.next++
	}
}

func (s *elementSum) add(e *endedElement) {
	delete(s.ahead, s.next)
	s.next++
	s.spent = s.spent.and(&e.result)
	if e.result.Status == steps.Succeeded {
		s.counts.Succeeded++
		return
	}
	if s.counts.Reasons == nil {
		s.counts.Reasons = map[steps.Kind]int{}
	}
	s.counts.Reasons[e.result.Error.Kind]++
	if e.result.Status == steps.Cancelled {
		s.cancelled++
		s.stopped = cmp.Or(s.stopped, e)
		return
	}
	s.failures++
	if e.fatal {
		s.fatal = cmp.Or(s.fatal, e)
	} else {
		s.failed = cmp.Or(s.failed, e)
	}
}

// conclude writes into the result of the step what its elements came to. One of
// them speaks for it: the first whose failure is the run's own, else the first
// that failed.
func (s *elementSum) conclude(r *StepResult, step *workflows.Step) {
	r.Status, r.StopReason = steps.Succeeded, steps.ReasonCompleted
	r.spent(s.spent)
	s.counts.Total = s.next
	r.Counts = &s.counts
	speaks := cmp.Or(s.fatal, s.failed, s.stopped)
	if speaks == nil {
		return
	}
	r.Status, r.StopReason, r.fatal = speaks.result.Status, speaks.result.StopReason, s.fatal != nil
	r.speaks = speaks.index
	failure := *speaks.result.Error
	failure.Message = fmt.Sprintf("element %s: %s%s", speaks.name(), failure.Message, s.others(speaks))
	switch {
	case s.fatal != nil || !step.OnError.GoesOn():
	case step.MaxFailures.Exceeded(s.failures, s.next):
		r.forgive = false
		failure.Message = fmt.Sprintf("max_failures: more than %v did not succeed; %s", step.MaxFailures, failure.Message)
	case s.counts.Succeeded == 0:
		r.forgive = false
		failure.Message = "no element succeeded; " + failure.Message
	}
	r.Error = &failure
}

// name is the index of the element, and what it is called: 3 (src/a.go).
func (e *endedElement) name() string {
	if e.label == "" {
		return strconv.Itoa(e.index)
	}
	return fmt.Sprintf("%d (%s)", e.index, e.label)
}

// others counts those that did not succeed beside the one that speaks for all,
// those that never began apart: nothing else is told of them.
func (s *elementSum) others(speaks *endedElement) string {
	failed, cancelled, unbegun := s.failures, s.cancelled, s.counts.NotBegun
	switch {
	case speaks.never:
		unbegun--
	case speaks == s.stopped:
		cancelled--
	default:
		failed--
	}
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{{failed, "more did not succeed"}, {cancelled, "more cancelled"}, {unbegun, "never began"}} {
		if part.n > 0 {
			parts = append(parts, tools.Thousands(part.n)+" "+part.text)
		}
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// errTooMany is why elements never began of which too many others failed.
var errTooMany = &steps.Error{Kind: steps.KindCancelled, Message: "it never began: too many elements failed"}

// neverBegun is the result of elements that did not run, for the end of their
// context or after too many failures.
func neverBegun(ctx context.Context) *steps.Result {
	if ctx.Err() == nil {
		return ended(errTooMany)
	}
	return ended(context.Cause(ctx))
}
