package runner

import "github.com/a-seed-11b9befa/flow/steps"

// ElementCounts say what became of the elements of a foreach: the ones that
// succeeded, the ones that never began, and the ones that did not succeed by
// what went wrong come to all of them. Those that its when left out are none of
// them.
type ElementCounts struct {
	Total     int                `json:"total"`
	Succeeded int                `json:"succeeded"`
	NotBegun  int                `json:"not_begun"`
	LeftOut   int                `json:"left_out,omitempty"`
	Reasons   map[steps.Kind]int `json:"reasons,omitempty"` // of those that began and did not succeed; how many of each

	// Inside are the steps in the elements, by their paths, that did not succeed although
	// the element did, and those whose own elements did not.
	Inside map[string]FailedCounts `json:"inside,omitempty"`
}

// FailedCounts say how much of a step did not succeed: its elements, or the step itself in
// several elements.
type FailedCounts struct {
	Failed  int                `json:"failed"`
	Of      int                `json:"of,omitempty"` // of how many elements of its own; 0: it has none
	Reasons map[steps.Kind]int `json:"reasons"`      // they come to Failed
}

// Failed counts those that did not succeed. Those that never began were cancelled.
func (c *ElementCounts) Failed() FailedCounts {
	failed := FailedCounts{Of: c.Total}.plus(FailedCounts{Failed: c.Total - c.Succeeded, Reasons: c.Reasons})
	if c.NotBegun > 0 {
		failed.Reasons[steps.KindCancelled] += c.NotBegun
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

// countInside counts what is inside of an element. Steps in one that did not succeed are
// told by its own error.
func (c *ElementCounts) countInside(element *StepResult) {
	inside := element.Inside()
	if element.Status == steps.Succeeded {
		for _, r := range inside.Failed() {
			c.inside(r.path, FailedCounts{Failed: 1, Reasons: map[steps.Kind]int{r.Error.Kind: 1}})
		}
	}
	for _, r := range inside {
		if r.Counts == nil {
			continue
		}
		if failed := r.Counts.Failed(); failed.Failed > 0 {
			c.inside(r.path, failed)
		}
		for path, more := range r.Counts.Inside {
			c.inside(path, more)
		}
	}
}

func (c *ElementCounts) inside(path string, more FailedCounts) {
	if c.Inside == nil {
		c.Inside = map[string]FailedCounts{}
	}
	c.Inside[path] = c.Inside[path].plus(more)
}
