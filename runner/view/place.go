package view

import (
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// Place names the step or the element in which an event happened for a person: pages[3]. All
// attempts of a step have the same place. It is "" for an event of the whole run.
func Place(e runner.Event) string {
	if e.Unit.IsZero() { // an older version wrote it
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

// around returns the place of the foreach of an element; "" if the unit is none.
func around(place string) string {
	open := strings.LastIndexByte(place, '[')
	if open < 0 || !strings.HasSuffix(place, "]") {
		return ""
	}
	return place[:open]
}

// nameOf returns the address of a unit without rounds and attempts.
func nameOf(u journal.Address) string {
	return u.WithoutRounds().WithoutAttempts().String()
}
