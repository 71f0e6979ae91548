package runner

import "github.com/a-seed-11b9befa/flow/steps"

// ElementCounts counts the elements of a foreach. Those that succeeded, those that never
// began, and those in Reasons add up to all of them. Elements that its when left out are not
// counted.
type ElementCounts struct {
	Total     int                `json:"total"`
	Succeeded int                `json:"succeeded"`
	NotBegun  int                `json:"not_begun"`
	LeftOut   int                `json:"left_out,omitempty"`
	Reasons   map[steps.Kind]int `json:"reasons,omitempty"` // how many began and did not succeed, by the kind of the error

	// Inside are the steps in the elements, by their paths, that did not succeed although
	// the element did, and those whose own elements did not.
	Inside map[string]FailedCounts `json:"inside,omitempty"`
}

// FailedCounts counts failures of a step: of its elements, or of the step itself in the
// elements around it.
type FailedCounts struct {
	Failed  int                `json:"failed"`
	Of      int                `json:"of,omitempty"` // how many elements it has; 0: it is no foreach
	Reasons map[steps.Kind]int `json:"reasons"`      // they add up to Failed
}

// failed counts the elements that did not succeed. Those that never began count with that reason.
func (c *ElementCounts) failed(never steps.Kind) FailedCounts {
	failed := FailedCounts{Of: c.Total}.plus(FailedCounts{Failed: c.Total - c.Succeeded, Reasons: c.Reasons})
	if c.NotBegun > 0 {
		failed.Reasons[never] += c.NotBegun
	}
	return failed
}

func (c FailedCounts) plus(by FailedCounts) FailedCounts {
	sum := FailedCounts{Failed: c.Failed + by.Failed, Of: c.Of + by.Of, Reasons: map[steps.Kind]int{}}
	for _, reasons := range []map[steps.Kind]int{c.Reasons, by.Reasons} {
		for kind, n := range reasons {
			sum.Reasons[kind] += n
		}
	}
	return sum
}

// fails counts an element that has not succeeded.
func (c *ElementCounts) fails(reason steps.Kind) {
	if c.Reasons == nil {
		c.Reasons = map[steps.Kind]int{}
	}
	c.Reasons[reason]++
}

// countInside counts the failures inside an element that succeeded. One that did not has an
// error of its own.
func (c *ElementCounts) countInside(element *StepResult) {
	inside := element.Inside()
	if element.Status == steps.Succeeded {
		for _, r := range inside.Failed() {
			c.inside(r.path, FailedCounts{Failed: 1, Reasons: map[steps.Kind]int{r.Error.Kind: 1}})
		}
	}
	for path, failed := range inside.FailedElements() {
		c.inside(path, failed)
	}
}

// FailedElements counts the failures of elements, and of steps inside them, by the paths of the steps.
func (s StepResults) FailedElements() map[string]FailedCounts {
	all := map[string]FailedCounts{}
	for _, r := range s {
		if r.Counts == nil {
			continue
		}
		never := steps.KindCancelled
		if r.Error != nil && r.Error.Continues {
			never = steps.KindBudget
		}
		if failed := r.Counts.failed(never); failed.Failed > 0 {
			all[r.path] = all[r.path].plus(failed)
		}
		for path, more := range r.Counts.Inside {
			all[path] = all[path].plus(more)
		}
	}
	return all
}

func (c *ElementCounts) inside(path string, more FailedCounts) {
	if c.Inside == nil {
		c.Inside = map[string]FailedCounts{}
	}
	c.Inside[path] = c.Inside[path].plus(more)
}
