package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Reasons counts elements that did not succeed by the kind of the error.
type Reasons map[steps.Kind]int

// String lists the reasons, the most common first: "60 timeout, 42 tool error"; the only one
// without its number: "invalid output".
func (r Reasons) String() string {
	var names []string
	for _, kind := range slices.SortedFunc(maps.Keys(r), func(a, b steps.Kind) int {
		return cmp.Or(cmp.Compare(r[b], r[a]), cmp.Compare(a, b))
	}) {
		name := kind.Words()
		if len(r) > 1 {
			name = quantity.Thousands(r[kind]) + " " + name
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// Verb says what happened to what has these reasons: limits stop it, and all else fails.
func (r Reasons) Verb() string {
	for kind := range r {
		if EndedBy(kind) != EndedBy(steps.KindLimit) {
			return "failed"
		}
	}
	return "stopped"
}

// A Shortfall says how much of a step did not succeed: elements, or the step itself.
type Shortfall struct {
	Step    string // its path
	Failed  int    // how many of its elements, or of the elements around it; 1 for a step outside of elements
	Of      int    // how many elements it has; 0: the step itself did not succeed
	Reasons Reasons
	Unit    string // of a step outside of elements that did not succeed itself
}

// String is a sentence: `102 of 147 elements of step "pages" failed (60 timeout, 42 tool error)`.
func (s Shortfall) String() string {
	switch {
	case s.Of > 0:
		return fmt.Sprintf("%s of %s of step %q %s (%s)", quantity.Thousands(s.Failed), quantity.Count(s.Of, "element"), s.Step, s.Reasons.Verb(), s.Reasons)
	case s.Unit == "":
		return fmt.Sprintf("step %q failed in %s (%s)", s.Step, quantity.Count(s.Failed, "element"), s.Reasons)
	}
	return fmt.Sprintf("step %q failed (%s)", s.Step, s.Reasons)
}

// Outcome returns the status of a run in words: it has succeeded in part if elements or steps did not
// succeed.
func Outcome(status steps.Status, short []Shortfall) string {
	if status == steps.Succeeded && len(short) > 0 {
		return "succeeded in part"
	}
	return string(status)
}

// Continued returns a sentence for each of the first failures after which a run continued.
func Continued(short []Shortfall) (lines []string) {
	const most = 5
	for _, s := range short[:min(len(short), most)] {
		lines = append(lines, "the run continued although "+s.String())
	}
	if more := len(short) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("the run continued although %s more failed", quantity.Count(more, "step")))
	}
	return lines
}

// Shortfalls returns what did not succeed in a run that has ended: elements, by the paths of
// their steps, and then steps.
func Shortfalls(r *runner.Result) (all []Shortfall) {
	failed := r.Steps.FailedElements()
	for _, path := range slices.Sorted(maps.Keys(failed)) {
		n := failed[path]
		all = append(all, Shortfall{Step: path, Failed: n.Failed, Of: n.Of, Reasons: n.Reasons})
	}
	for _, s := range r.Steps.Failed() { // outside of elements
		all = append(all, Shortfall{Step: s.Path(), Failed: 1, Reasons: Reasons{s.Error.Kind: 1}, Unit: cmp.Or(s.Unit.String(), s.Path())})
	}
	return all
}
