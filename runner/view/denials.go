package view

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
)

// A denial is a denied call, with how often it was made.
type denial struct {
	step, place string // the place is the step if several elements have made the call
	call        string // with the reason
	times       int
	process     int // the number of the process in which it was made last
}

// maxDenials is the most denied calls that are listed.
const maxDenials = 20

// denials are denied calls, the same one of a step only once.
type denials []denial

// add adds a denied call, or counts it if it is there.
func (all denials) add(d denial) denials {
	for i := range all {
		if same := &all[i]; same.step == d.step && same.call == d.call {
			same.times++
			same.process = d.process
			if same.place != d.place {
				same.place = term.Visible(d.step)
			}
			return all
		}
	}
	if len(all) < maxDenials {
		all = append(all, d)
	}
	return all
}

// lines names the denied calls, with how often each was made, and says how many of the calls
// are not listed, and which were made before this process began to work in the run.
func (all denials) lines(of, process int) []string {
	var lines []string
	for _, d := range all {
		when := ""
		if d.times > 1 {
			when = " " + quantity.Thousands(d.times) + " times"
		}
		if d.process < process {
			when += " before the run was resumed"
		}
		lines = append(lines, fmt.Sprintf("denied%s: step %q called %s", when, d.place, d.call))
		of -= d.times
	}
	if of > 0 {
		lines = append(lines, fmt.Sprintf("denied: %s more", quantity.Count(of, "call")))
	}
	return lines
}

// deny adds a denied call.
func (r *Run) deny(e runner.Event) {
	r.denied++
	r.denials = r.denials.add(denial{
		step: e.Step, place: r.unit(Place(e)).Name(), call: denied(e.Event), times: 1,
	})
}

// Denials returns lines with the first calls that this process denied, how often each was
// made, and how many more there are.
func (r *Run) Denials() []string { return r.denials.lines(r.denied, 0) }

// denialsOf returns the lines of Denials, which say that they are those of this process if all
// processes together have denied more calls.
func (r *Run) denialsOf(all int) []string {
	lines := r.Denials()
	for i, line := range lines {
		if all > r.denied {
			lines[i] = "denied in this process" + strings.TrimPrefix(line, "denied")
		}
	}
	return lines
}
