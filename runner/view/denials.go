package view

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
)

// A denial is a denied call, as often as it was made.
type denial struct {
	step, place string // the place is the step where several elements have made it
	call        string
	times       int
}

// mostDenials are told one by one.
const mostDenials = 20

// denials are denied calls, the same one of a step only once.
type denials []denial

// add keeps a denied call, and counts one that is there.
func (all denials) add(d denial) denials {
	for i := range all {
		if same := &all[i]; same.step == d.step && same.call == d.call {
			same.times++
			if same.place != d.place {
				same.place = term.Visible(d.step)
			}
			return all
		}
	}
	if len(all) < mostDenials {
		all = append(all, d)
	}
	return all
}

// lines name the denied calls, each as often as it was made, and say how many more
// of so many there are.
func (all denials) lines(of int) []string {
	var lines []string
	for _, d := range all {
		line := fmt.Sprintf("denied: %s: %s", d.place, d.call)
		if d.times > 1 {
			line += fmt.Sprintf(", %s times", quantity.Thousands(d.times))
		}
		lines = append(lines, line)
		of -= d.times
	}
	if of > 0 {
		lines = append(lines, fmt.Sprintf("denied: %s more", quantity.Thousands(of)))
	}
	return lines
}

// deny keeps a denied call.
func (r *Run) deny(e runner.Event) {
	r.denied++
	r.denials = r.denials.add(denial{
		step: e.Step, place: r.unit(Place(e)).Name(), call: Call(e.Tool, e.Input) + because(e.Rule, reasonOf(e.Event)), times: 1,
	})
}

// Denials are lines that name the calls which this process denied: the first ones, each
// as often as it was made, and how many more there are.
func (r *Run) Denials() []string { return r.denials.lines(r.denied) }
