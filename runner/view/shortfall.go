package view

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Reasons counts elements that did not succeed by the kind of the error, or by the status if
// there is no error. The zero value has none.
type Reasons map[string]int

// add counts one more, and returns the reasons, which it makes if need be.
func (r Reasons) add(status steps.Status, failure *steps.Error) Reasons {
	if failure != nil && failure.Kind != "" {
		return r.plus(string(failure.Kind), 1)
	}
	return r.plus(string(status), 1)
}

func (r Reasons) plus(reason string, n int) Reasons {
	if r == nil {
		r = Reasons{}
	}
	r[reason] += n
	return r
}

// String lists the reasons, the most common first: "60 timeout, 42 tool error"; the only one
// without its number: "invalid output".
func (r Reasons) String() string {
	names := slices.SortedFunc(maps.Keys(r), func(a, b string) int {
		return cmp.Or(cmp.Compare(r[b], r[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = steps.Kind(name).Words()
		if len(names) > 1 {
			names[i] = quantity.Thousands(r[name]) + " " + names[i]
		}
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
func Shortfalls(r *runner.Result) []Shortfall {
	all := byStep(func(yield func(Shortfall) bool) {
		for _, s := range r.Steps {
			if s.Counts == nil {
				continue
			}
			if failed := s.Counts.Failed(); failed.Failed > 0 && !yield(shortfallOf(s.Path(), failed)) {
				return
			}
			for path, failed := range s.Counts.Inside {
				if !yield(shortfallOf(path, failed)) {
					return
				}
			}
		}
	})
	return append(all, alone(r.Steps)...)
}

func shortfallOf(step string, failed runner.FailedCounts) Shortfall {
	s := Shortfall{Step: step, Failed: failed.Failed, Of: failed.Of}
	for kind, n := range failed.Reasons {
		s.Reasons = s.Reasons.plus(string(kind), n)
	}
	return s
}

// alone returns the steps that did not succeed, are outside of elements and have none.
func alone(results runner.StepResults) (short []Shortfall) {
	for _, s := range results.Failed() {
		unit := cmp.Or(s.Unit.String(), s.Path())
		short = append(short, Shortfall{Step: s.Path(), Failed: 1, Reasons: Reasons{}.add(s.Status, s.Error), Unit: unit})
	}
	return short
}

// byStep adds up the shortfalls of each step, which may run in several elements.
func byStep(all iter.Seq[Shortfall]) []Shortfall {
	sums := map[string]Shortfall{}
	for s := range all {
		sum := sums[s.Step]
		sum.Step, sum.Failed, sum.Of = s.Step, sum.Failed+s.Failed, sum.Of+s.Of
		for reason, n := range s.Reasons {
			sum.Reasons = sum.Reasons.plus(reason, n)
		}
		sums[s.Step] = sum
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b Shortfall) int { return cmp.Compare(a.Step, b.Step) })
}

// FailedUnits returns the first units that did not succeed in a run that did.
func FailedUnits(r *runner.Result, short []Shortfall) (units []string) {
	for _, s := range short {
		if s.Unit != "" {
			units = append(units, s.Unit)
		}
	}
	for _, step := range r.Steps {
		for element, err := range step.Elements() {
			if err != nil || len(units) > 1 {
				return units
			}
			if element.Status != steps.Succeeded {
				units = append(units, step.Unit.WithElement(element.Index).String())
				continue
			}
			for _, inner := range element.Inside().Failed() {
				units = append(units, inner.Unit.String())
			}
		}
	}
	return units
}
