package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A tally is what a step, an element of it or a run has come to so far.
type tally struct {
	kind  string
	began time.Time

	items            int // of a foreach: how many elements it has
	elements, failed int // how many of them have ended, and not well
	turns, calls     int
	denied           int
	truncated        int
	tokens           int64
	cost             float64
	unpriced         bool // the cost of a turn is not known
	turn             int
	last             *steps.Event // the call that runs, or what is waited for
}

// tallies follow the events of a run. A place is a step, or one element of it.
type tallies struct {
	run    tally
	places map[string]*tally
	order  []string // the places that run, in the order in which they began

	denials []denial        // the first ones of each kind; the run's tally has how many there are
	told    map[string]bool // failures whose words are on the screen
}

// A denial is a denied call, as often as it was made.
type denial struct {
	step, place string // the place is the step where several elements have made it
	call        string
	times       int
}

// mostDenials are listed at the end of a run.
const mostDenials = 20

// newTallies returns tallies of a run that has not begun.
func newTallies() *tallies { return &tallies{places: map[string]*tally{}, told: map[string]bool{}} }

// placeOf names where an event happened, as a person reads it: pages[3]. All
// attempts of a step are in one place.
func placeOf(e runner.Event) string {
	place, plain := e.Place, e.Step
	if announced := e.Type == steps.Retry && e.Turn == 0; e.StepAttempt > 0 && !announced {
		place = strings.TrimSuffix(place, fmt.Sprintf("@attempt-%d", e.StepAttempt))
	}
	if e.Index != nil {
		plain += "/" + strconv.Itoa(*e.Index)
	}
	switch {
	case place != "" && place != plain:
		return place
	case e.Index != nil:
		return e.Step + "[" + strconv.Itoa(*e.Index) + "]"
	}
	return e.Step
}

// at is the tally of a place, which begins when it is first heard of.
func (t *tallies) at(place string) *tally {
	if t.places[place] == nil {
		t.places[place] = &tally{}
	}
	return t.places[place]
}

// take counts an event: for its place, for the foreach around it, for the run.
func (t *tallies) take(e runner.Event) {
	if e.Step == "" || e.Type == steps.BlockDelta { // of which there are very many
		return
	}
	place := placeOf(e)
	at := t.at(place)
	counted := []*tally{at, &t.run}
	if e.Index != nil {
		counted = append(counted, t.at(e.Step))
	}
	switch e.Type {
	case runner.StepStarted:
		*at = tally{kind: e.StepKind, began: e.Time}
		if e.Items != nil {
			at.items = *e.Items
		}
		if !slices.Contains(t.order, place) { // or it begins anew
			t.order = append(t.order, place)
		}
	case runner.StepFinished:
		t.order = slices.DeleteFunc(t.order, func(other string) bool { return other == place })
		turns, calls := e.Turns-at.turns, e.Calls-at.calls
		for _, c := range counted {
			if at.kind == string(workflows.KindPrompt) && at.elements == 0 { // the result leaves out last turns, and calls that were refused
				c.turns, c.calls = c.turns+turns, c.calls+calls
			}
		}
		if e.Index != nil {
			t.at(e.Step).ended(e.Status)
		}
		at.last = nil
	}
	if e.Event.Status == tools.Denied {
		t.deny(e)
	}
	for _, c := range counted {
		c.count(e.Event)
	}
	at.follow(e.Event)
}

// deny keeps a denied call, the same one of a step only once.
func (t *tallies) deny(e runner.Event) {
	d := denial{step: e.Step, place: placeOf(e), call: describeCall(e.Tool, e.Input) + because(e.Rule, reasonOf(e.Event)), times: 1}
	for i := range t.denials {
		if same := &t.denials[i]; same.step == d.step && same.call == d.call {
			same.times++
			if same.place != d.place {
				same.place = d.step
			}
			return
		}
	}
	if len(t.denials) < mostDenials {
		t.denials = append(t.denials, d)
	}
}

// denialLines name the denied calls, of which there may be many.
func (t *tallies) denialLines() []string {
	var lines []string
	more := t.run.denied
	for _, d := range t.denials {
		line := fmt.Sprintf("denied: %s: %s", term.Visible(d.place), d.call)
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

// ended counts an element of a foreach.
func (t *tally) ended(status steps.Status) {
	t.elements++
	if status != steps.Succeeded && status != steps.Skipped {
		t.failed++
	}
}

// ofElements says how many elements have ended, and of how many where that is not
// all of them.
func (t *tally) ofElements() string {
	if t.elements < t.items {
		return fmt.Sprintf("%s of %s", tools.Thousands(t.elements), tools.Count(t.items, "element"))
	}
	return tools.Count(t.elements, "element")
}

// count adds what a turn, an answer that broke off or a call has cost. One answer
// without a price leaves the cost of all unknown.
func (t *tally) count(e steps.Event) {
	if e.Usage != nil {
		t.tokens += e.Usage.Total()
		t.unpriced = t.unpriced || e.Cost == nil
	}
	if e.Cost != nil {
		t.cost += *e.Cost
	}
	switch e.Type {
	case steps.TurnFinished:
		t.turns++
	case steps.CallFinished:
		t.calls++
		if e.Status == tools.Denied {
			t.denied++
		}
		if e.Truncated {
			t.truncated++
		}
	}
}

// follow keeps what is being done.
func (t *tally) follow(e steps.Event) {
	switch e.Type {
	case steps.TurnStarted:
		t.turn, t.last = e.Turn, nil
	case steps.CallRunning, steps.Retry:
		last := e
		t.last = &last
	case steps.CallFinished:
		if t.last != nil && t.last.CallID == e.CallID {
			t.last = nil
		}
	}
}

// doing says what a step is at.
func (t *tally) doing() string {
	var last string
	switch {
	case t.last == nil:
	case t.last.Type == steps.Retry:
		last = fmt.Sprintf("waits %v to ask again", t.last.Wait.Round(time.Second))
	default:
		last = describeCall(t.last.Tool, t.last.Input)
	}
	if t.turn == 0 {
		return last
	}
	return joined(fmt.Sprintf("turn %d", t.turn), last)
}
