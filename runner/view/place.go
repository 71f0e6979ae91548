package view

import (
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// Place names the step, or the element of one, in which an event happened, as a
// person reads it: pages[3]. All attempts of a step are in one place. It is "" for
// an event of the whole run.
func Place(e runner.Event) string {
	if e.Unit.IsZero() { // an earlier flow wrote it
		return plainPlace(e)
	}
	return e.Unit.WithAttempt(0).String()
}

func plainPlace(e runner.Event) string {
	if e.Index == nil {
		return e.Step
	}
	return e.Step + "[" + strconv.Itoa(*e.Index) + "]"
}

// around is the place of the foreach that the unit in a place is an element of; ""
// where it is none.
func around(place string) string {
	open := strings.LastIndexByte(place, '[')
	if open < 0 || !strings.HasSuffix(place, "]") {
		return ""
	}
	return place[:open]
}

// nameOf is the address of a unit without rounds and attempts.
func nameOf(u unit.Unit) string { return u.Without(unit.Rounds | unit.Attempts).String() }
