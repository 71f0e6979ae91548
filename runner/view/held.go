package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A wait is what a unit waits for; the zero wait is for nothing.
type wait struct {
	what  string
	until time.Time // zero: nobody knows
}

// aRetry is a wait whose end nothing tells of.
const aRetry = "a retry"

var holds = map[steps.Hold]string{
	steps.HeldByRate:    "the rate limit of a service",
	steps.HeldByService: "other requests to end (max_concurrent)",
	steps.HeldBySlot:    "a slot (--max-parallel)",
	steps.HeldByBudget:  "requests in flight, whose cost may use up the budget",
}

// at returns what is waited for at a time, with its end if that is known and to come.
func (w wait) at(now time.Time) string {
	switch {
	case now.Before(w.until):
		return w.what + " until " + w.until.Local().Format(time.TimeOnly)
	case w.what == aRetry:
		return ""
	}
	return w.what
}

// Held says what holds the run up: "8 wait for a slot (--max-parallel), pages[3] waits for a person"; "" if
// nothing does.
func (r *Run) Held(now time.Time) string {
	held := map[string][]string{} // the names of units, by what they wait for
	longest := map[string]wait{}
	for _, u := range r.units {
		if what := u.wait.what; u.wait.at(now) != "" {
			held[what] = append(held[what], u.Name())
			if longest[what].what == "" || u.wait.until.After(longest[what].until) {
				longest[what] = u.wait
			}
		}
	}
	var said []string
	for _, what := range slices.Sorted(maps.Keys(held)) {
		who := held[what][0] + " waits"
		if n := len(held[what]); n > 1 {
			who = quantity.Thousands(n) + " wait"
		}
		said = append(said, fmt.Sprintf("%s for %s", who, longest[what].at(now)))
	}
	return strings.Join(said, ", ")
}
