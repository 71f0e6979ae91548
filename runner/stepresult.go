package runner

import (
	"iter"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// StepResults are the results of steps in the file's order.
type StepResults []*StepResult

// Top returns the steps that are inside no other. What is inside one is counted in it, too.
func (s StepResults) Top() iter.Seq[*StepResult] {
	return func(yield func(*StepResult) bool) {
		for _, step := range s {
			if !strings.Contains(step.path, "/") && !yield(step) {
				return
			}
		}
	}
}

// A StepResult is the result of one step, with all of its elements.
type StepResult struct {
	Label string          `json:"label,omitempty"` // of an element: its name for people; "" if it has none
	Unit  journal.Address `json:"unit,omitzero"`   // for a step in a group, with the last round
	Kind  workflows.Kind  `json:"kind,omitempty"`
	steps.Result

	Counts   *ElementCounts `json:"elements,omitempty"` // of a foreach that has ended
	Attempts int            `json:"attempts,omitempty"`
	Rounds   int            `json:"rounds,omitempty"`      // of a group with until
	Started  *time.Time     `json:"started_at,omitempty"`  // nil if it did not begin
	Duration *int64         `json:"duration_ms,omitempty"` // in milliseconds

	id       string
	path     string
	unknown  bool          // it is that of a step that would run again
	forgive  bool          // its failure counts as success: on_error: continue
	fatal    bool          // its failure is the run's own, and never counts as success
	whole    *wholeText    // if Text was cut: all of it
	never    *steps.Result // of a foreach that was read back: the result of each element that did not begin
	inner    []*StepResult // of a group or a used workflow
	elements *elements     // of a foreach that has begun
	blames   int           // the element whose error is the step's error

	at        int64              // the offset of its record; 0: there is none
	exact     bool               // the journal has the result exactly
	begun     bool               // it began in this process
	tolerated bool               // of one that waits: a failure inside it counts as success
	withdraw  func() *StepResult // of one that waits: ends it
}

// Elements iterates over the results of a foreach's elements, in order; there are none for
// any other step. Each is read from the run's folder when its turn comes. An error ends the
// iteration.
func (r *StepResult) Elements() iter.Seq2[*ElementResult, error] {
	return func(yield func(*ElementResult, error) bool) {
		if r.elements == nil {
			return
		}
		for i := range r.elements.count() {
			element, err := r.elements.element(i)
			if !yield(element, err) || err != nil {
				return
			}
		}
	}
}

// HasElements reports whether the step is a foreach that has begun.
func (r *StepResult) HasElements() bool { return r.elements != nil }

// Path returns the step's path: group/inner.
func (r *StepResult) Path() string { return r.path }

// Inside returns the results of the steps inside an element, a group or a used workflow, at
// all depths.
func (r *StepResult) Inside() StepResults { return flatten(r.inner) }

// Failed returns the steps without elements that did not succeed, without those inside one
// that is returned.
func (s StepResults) Failed() (failed StepResults) {
	outer := "/" // which no path begins with
	for _, r := range s {
		if r.Error != nil && r.Status != steps.Succeeded && r.Counts == nil && !strings.HasPrefix(r.path, outer) {
			outer = r.path + "/"
			failed = append(failed, r)
		}
	}
	return failed
}

// Tolerated reports for each step whether its failure counts as success, or that of a step around it.
func (s StepResults) Tolerated() []bool {
	all, outer := make([]bool, len(s)), "/" // which no path begins with
	for i, r := range s {
		if !strings.HasPrefix(r.path+"/", outer) && r.Continued() {
			outer = r.path + "/"
		}
		all[i] = strings.HasPrefix(r.path+"/", outer)
	}
	return all
}

// Continued reports whether the step failed, or was stopped at a limit, and counts as success
// because of on_error: continue.
func (r *StepResult) Continued() bool {
	return r.forgive && !r.fatal && (r.Status == steps.Failed || r.Status == steps.Stopped)
}

// good reports whether steps that need this one may run.
func (r *StepResult) good() bool {
	return r.Status == steps.Succeeded || r.Status == steps.Skipped || r.forgive && !r.fatal
}

// An ElementResult is the result of a step for one element of its foreach.
type ElementResult struct {
	Index int `json:"index"`
	Item  any `json:"item"`
	StepResult
}
