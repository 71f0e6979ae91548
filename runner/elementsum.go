package runner

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An elementSum makes the result of a foreach from the results of its elements, which are
// added in order. The zero value has none.
type elementSum struct {
	interrupted bool // the step was, or one around it

	counts    ElementCounts
	failures  int // without those that were cancelled
	cancelled int
	ended     int // by a budget that goes on

	fatal   *endedElement // the first whose failure is the run's own
	failed  *endedElement // the first that failed otherwise
	stopped *endedElement // the first that was cancelled, or never began
}

// An endedElement is one whose error may become that of the step.
type endedElement struct {
	index  int // in the list, with those that are left out
	label  string
	result steps.Result
	fatal  bool
	never  bool // it did not begin
}

// never adds an element that did not begin, with that result.
func (s *elementSum) never(index int, result *steps.Result) {
	s.counts.NotBegun++
	s.stopped = cmp.Or(s.stopped, &endedElement{index: index, result: *result, never: true})
}

func (s *elementSum) add(index int, r *StepResult) {
	s.counts.countInside(r)
	if r.Status == steps.Succeeded {
		s.counts.Succeeded++
		return
	}
	s.counts.fails(r.Error.Kind)
	e := &endedElement{index: index, label: r.Label, result: r.Result, fatal: r.fatal}
	switch {
	case r.Status == steps.Cancelled:
		s.cancelled++
		s.stopped = cmp.Or(s.stopped, e)
		return
	case r.Error.Continues:
		s.ended++
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

// conclude completes the result of the step. Its error is that of the first element whose
// failure is the run's own, or else of the first that failed.
func (s *elementSum) conclude(r *StepResult, step *workflows.Step) {
	r.Status, r.StopReason = steps.Succeeded, steps.ReasonCompleted
	r.Counts = &s.counts
	blame := cmp.Or(s.fatal, s.failed, s.stopped)
	if s.cutOff(step) {
		blame = s.stopped
	}
	if blame == nil {
		return
	}
	r.Status, r.StopReason, r.fatal = blame.result.Status, blame.result.StopReason, s.fatal != nil
	r.blames = blame.index
	failure := *blame.result.Error
	line, rest, _ := strings.Cut(failure.Message, "\n")
	failure.Message = line + s.others(blame)
	if !blame.outOfBudget() {
		failure.Message = fmt.Sprintf("element %s: %s", blame.name(), failure.Message)
	}
	if rest != "" {
		failure.Message += "\n" + rest
	}
	switch {
	case s.fatal != nil || !step.OnError.GoesOn() || failure.Continues:
	case s.tooMany(step):
		r.forgive = false
		failure.Message = fmt.Sprintf("more elements failed than max_failures allows (%v): %s", step.MaxFailures, failure.Message)
	case s.counts.Succeeded == 0:
		r.forgive = false
		failure.Message = "no element succeeded: " + failure.Message
	}
	r.Error = &failure
}

// cutOff reports whether only an interruption ended the step: elements are cancelled, or never
// began, and no failure had ended it before.
func (s *elementSum) cutOff(step *workflows.Step) bool {
	return s.interrupted && s.stopped != nil && s.stopped.result.Status == steps.Cancelled &&
		s.fatal == nil && (s.failed == nil || step.OnError.GoesOn() && !s.tooMany(step))
}

func (s *elementSum) tooMany(step *workflows.Step) bool {
	return step.MaxFailures.Exceeded(s.failures, s.counts.Total)
}

// name returns the index of the element and its label: 3 (src/a.go).
func (e *endedElement) name() string {
	if e.label == "" {
		return strconv.Itoa(e.index)
	}
	return fmt.Sprintf("%d (%s)", e.index, e.label)
}

// outOfBudget reports whether a budget around the element ended it, which the message names.
func (e *endedElement) outOfBudget() bool {
	err := e.result.Error
	return err.Kind == steps.KindBudget && (e.fatal || err.Continues)
}

// others says how many other elements did not succeed, and how many never began.
func (s *elementSum) others(blame *endedElement) string {
	failed, cancelled, ended, unbegun := s.failures, s.cancelled, s.ended, s.counts.NotBegun
	switch {
	case blame.never:
		unbegun--
	case blame.result.Error.Continues:
		ended--
	case blame == s.stopped:
		cancelled--
	default:
		failed--
	}
	more := func(n int) string { return quantity.Thousands(n) + " more" }
	if blame.outOfBudget() { // no element was named
		more = func(n int) string { return quantity.Count(n, "more element") }
	}
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{{failed, more(failed) + " failed"}, {cancelled, more(cancelled) + " cancelled"}, {ended, more(ended) + " stopped"}, {unbegun, quantity.Thousands(unbegun) + " did not start"}} {
		if part.n > 0 {
			parts = append(parts, part.text)
		}
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// errTooMany is why elements never began after too many others had failed.
var errTooMany = &steps.Error{Kind: steps.KindCancelled, Message: "it did not start: too many elements failed"}
