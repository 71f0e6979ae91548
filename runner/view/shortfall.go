package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
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

// A Shortfall says how much of a step did not succeed: elements, or the step itself.
type Shortfall struct {
	Step    string // its path
	Failed  int    // how many of its elements, or of the elements around it; 1 for a step outside of elements
	Of      int    // how many elements it has; 0: the step itself did not succeed
	Reasons Reasons
	Unit    string // of a step outside of elements that did not succeed itself
}

// String is `102 of 147 elements of "pages" (60 timeout, 42 tool error)` or `"pages/check" in 3
// elements (command error)`, in a list of what failed.
func (s Shortfall) String() string {
	switch {
	case s.Of > 0:
		return fmt.Sprintf("%s of %s of %q (%s)", quantity.Thousands(s.Failed), quantity.Count(s.Of, "element"), s.Step, s.Reasons)
	case s.Unit == "":
		return fmt.Sprintf("%q in %s (%s)", s.Step, quantity.Count(s.Failed, "element"), s.Reasons)
	}
	return fmt.Sprintf("%q (%s)", s.Step, s.Reasons)
}

// Outcome returns the status of a run and, if it succeeded although elements or steps did not,
// what did not.
func Outcome(status steps.Status, short []Shortfall) string {
	if status != steps.Succeeded || len(short) == 0 {
		return string(status)
	}
	var parts, alone []string
	for _, s := range short {
		if s.Unit == "" {
			parts = append(parts, s.String())
		} else {
			alone = append(alone, strconv.Quote(s.Step))
		}
	}
	if n := len(alone); n > 0 {
		const most = 5
		names := strings.Join(alone[:min(n, most)], ", ")
		if n > most {
			names += fmt.Sprintf(" and %s more", quantity.Thousands(n-most))
		}
		noun := "step "
		if n > 1 {
			noun = "steps "
		}
		parts = append(parts, noun+names)
	}
	return string(status) + ", although these failed (on_error: continue): " + strings.Join(parts, "; ")
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
