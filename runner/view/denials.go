package view

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A denial is a denied call, as often as it was made.
type denial struct {
	step, place string // the place is the step where several elements have made it
	call        string
	times       int
}

// mostDenials are told one by one.
const mostDenials = 20

// deny keeps a denied call, the same one of a step only once.
func (r *Run) deny(e runner.Event) {
	d := denial{step: e.Step, place: r.unit(Place(e)).Name(), call: Call(e.Tool, e.Input) + because(e.Rule, reasonOf(e.Event)), times: 1}
	for i := range r.denials {
		if same := &r.denials[i]; same.step == d.step && same.call == d.call {
			same.times++
			if same.place != d.place {
				same.place = term.Visible(d.step)
			}
			return
		}
	}
	if len(r.denials) < mostDenials {
		r.denials = append(r.denials, d)
	}
}

// Denials are lines that name the denied calls: the first ones, each as often as it
// was made, and how many more there are.
func (r *Run) Denials() []string {
	var lines []string
	more := r.Denied
	for _, d := range r.denials {
		line := fmt.Sprintf("denied: %s: %s", d.place, d.call)
		if d.times > 1 {
			line += fmt.Sprintf(", %s times", tools.Thousands(d.times))
		}
		lines = append(lines, line)
		more -= d.times
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("denied: %d more", more))
	}
	return lines
}
