package view

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Reasons are why elements did not succeed, and how many of them for each: the kind
// of the error, or the status where there is none. The zero Reasons are none.
type Reasons map[string]int

// add counts one more, and returns the reasons.
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

// String lists the reasons, the commonest first: "60 timeout, 42 tool".
func (r Reasons) String() string {
	names := slices.SortedFunc(maps.Keys(r), func(a, b string) int {
		return cmp.Or(cmp.Compare(r[b], r[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = quantity.Thousands(r[name]) + " " + name
	}
	return strings.Join(names, ", ")
}

// A Shortfall is that elements of a step did not succeed, or the step itself, which is
// one of one then.
type Shortfall struct {
	Step       string // its path
	Failed, Of int
	Reasons    Reasons
	Unit       string // of the step that itself did not; "" where elements did not
}

// String is "102 of 147 elements of pages did not (60 timeout, 42 tool)", to go on
// after that the run succeeded.
func (s Shortfall) String() string {
	return fmt.Sprintf("%s of %s of %s did not (%s)", quantity.Thousands(s.Failed), quantity.Count(s.Of, "element"), s.Step, s.Reasons)
}

// Outcome is the status of a run and, where it succeeded although elements or steps did
// not, those.
func Outcome(status steps.Status, short []Shortfall) string {
	if status != steps.Succeeded || len(short) == 0 {
		return string(status)
	}
	var parts, alone []string
	for _, s := range short {
		if s.Unit == "" {
			parts = append(parts, s.String())
		} else {
			alone = append(alone, s.Step)
		}
	}
	if n := len(alone); n > 0 {
		const most = 5
		names := strings.Join(alone[:min(n, most)], ", ")
		if n > most {
			names += fmt.Sprintf(" and %s more", quantity.Thousands(n-most))
		}
		parts = append(parts, quantity.Count(n, "step")+" did not: "+names)
	}
	return string(status) + ", but " + strings.Join(parts, "; ")
}

// Shortfalls returns the shortfalls of the run so far, by the paths of the steps.
func (r *Run) Shortfalls() []Shortfall { return byStep(maps.Values(r.short)) }

// ShortfallsOf returns those of the run once it has ended: of all processes, where the
// result says it, which it does not of what is inside of an element.
func (r *Run) ShortfallsOf(result *runner.Result) []Shortfall {
	all := maps.Clone(r.short)
	for _, s := range result.Steps {
		c := s.Counts
		if c == nil {
			continue
		}
		maps.DeleteFunc(all, func(_ string, short Shortfall) bool { return short.Step == s.Path() })
		if c.Succeeded == c.Total {
			continue
		}
		short := Shortfall{Step: s.Path(), Failed: c.Total - c.Succeeded, Of: c.Total}
		for reason, n := range c.Reasons {
			short.Reasons = short.Reasons.plus(string(reason), n)
		}
		if c.NotBegun > 0 {
			short.Reasons = short.Reasons.plus(string(steps.Cancelled), c.NotBegun)
		}
		all[s.Path()] = short
	}
	return append(byStep(maps.Values(all)), alone(result.Steps)...)
}

// alone are the steps without elements that did not succeed: of those inside of each
// other the outermost.
func alone(results runner.StepResults) (short []Shortfall) {
	outer := "/" // which no path begins with
	for _, s := range results {
		if s.Error == nil || s.Counts != nil || strings.HasPrefix(s.Path(), outer) {
			continue
		}
		outer = s.Path() + "/"
		unit := cmp.Or(s.Unit.String(), s.Path())
		short = append(short, Shortfall{Step: s.Path(), Failed: 1, Of: 1, Reasons: Reasons{}.add(s.Status, s.Error), Unit: unit})
	}
	return short
}

// byStep sums up the shortfalls of each step, which may run in several elements.
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

// ended notes the elements that did not succeed of a foreach that has ended. What
// an earlier attempt or round of it came to is forgotten.
func (r *Run) ended(step string, unit *Unit) {
	place := settled(unit.Place)
	delete(r.short, place)
	if n := unit.Elements; n.Failed > 0 {
		r.short[place] = Shortfall{Step: step, Failed: n.Failed, Of: n.Of, Reasons: n.Reasons}
	}
}
