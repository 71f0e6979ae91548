package runner

import (
	"fmt"
	"path"
	"sort"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// Find returns the result of a step, which may be inside an element: pages, loop/fix,
// pages[3]/review. Rounds and attempts in the address are ignored, since results have the
// last ones. It returns nil if the run has no result of the step, and for the address of an
// element. The error is for elements that can't be read.
func (r *Result) Find(u journal.Address) (*StepResult, error) {
	list, at := r.Steps, ""
	var found *StepResult
	for part := range u.Parts() {
		at = path.Join(at, part.Name)
		if found = list.of(at); part.Element < 0 {
			continue
		}
		if found == nil {
			return nil, nil
		}
		element, err := found.elementAt(part.Element)
		if err != nil || element == nil {
			return nil, err
		}
		list, found = flatten(element.inner), nil
	}
	return found, nil
}

// elementAt returns the element with that index in the list of the foreach, or nil. No other one is
// read.
func (r *StepResult) elementAt(index int) (*ElementResult, error) {
	if r.elements == nil {
		return nil, nil
	}
	i := sort.Search(r.elements.count(), func(i int) bool { return r.elements.index(i) >= index })
	if i == r.elements.count() || r.elements.index(i) != index {
		return nil, nil
	}
	e, err := r.elements.element(i)
	if err != nil {
		return nil, fmt.Errorf("step %q: %w", r.path, err)
	}
	return e, nil
}

// of returns the result of the step with that path, or nil.
func (all StepResults) of(path string) *StepResult {
	for _, step := range all {
		if step.path == path {
			return step
		}
	}
	return nil
}
