package view

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A denial is a denied call, with how often it was made.
type denial struct {
	step, place string // the place is the step if several elements have made the call
	call        string // with the reason
	times       int
}

// maxDenials is the most denied calls that are listed.
const maxDenials = 20

// denials are denied calls, the same one of a step only once.
type denials []denial

// add adds a denied call, or counts it if it is there.
func (all *denials) add(step, place string, call steps.Event) {
	d := denial{step, place, denied(call), 1}
	for i := range *all {
		if same := &(*all)[i]; same.step == d.step && same.call == d.call {
			same.times++
			if same.place != d.place {
				same.place = term.Visible(d.step)
			}
			return
		}
	}
	if len(*all) < maxDenials {
		*all = append(*all, d)
	}
}

// lines names the denied calls, with how often each was made, and says how many of all calls that were
// denied are not listed.
func (all denials) lines(of int) (lines []string) {
	for _, d := range all {
		times := ""
		if d.times > 1 {
			times = " " + quantity.Thousands(d.times) + " times"
		}
		lines = append(lines, fmt.Sprintf("denied%s: step \"%s\" called %s", times, d.place, d.call))
		of -= d.times
	}
	if of > 0 {
		lines = append(lines, fmt.Sprintf("denied: %s more", quantity.Count(of, "call")))
	}
	return lines
}

// readDenials reads which calls were denied.
func (f *reading) readDenials() error {
	const maxRead = 1000
	var all denials
	offsets := f.run.Top.Expense.Denied
	for _, at := range offsets[:min(len(offsets), maxRead)] {
		r, data, err := f.from.DataAt(at)
		if err != nil {
			return err
		}
		place := term.Visible(nameOf(r.Unit))
		if u := f.run.Top.At(r.Unit); u != nil {
			place = f.unit(u).Name()
		}
		var call steps.CallEnded
		var step steps.Used // of a step that is one call
		refused := &step.Denied
		if r.Kind == journal.CallEnded {
			err = jsonline.Decode(data, &call)
			refused = &[]steps.Denial{call.Denial()}
		} else {
			err = jsonline.Decode(data, &step)
		}
		if err != nil {
			return err
		}
		for _, d := range *refused {
			f.Unasked = f.Unasked || wasUnasked(d.Rule)
			all.add(r.Unit.Path(), place, steps.Event{Tool: d.Tool, Input: d.Input, Rule: d.Rule, Error: call.Reason})
		}
	}
	f.Past.Denials = all.lines(f.Denied)
	return nil
}
