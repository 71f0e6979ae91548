package runner

import (
	"maps"
	"strings"
)

// A turnCount counts the turns of a step, its elements and attempts, by their
// events, as results count them: what has ended says how many it had, which are
// fewer than were taken where the model was asked for what it had. Its zero value
// has none.
type turnCount struct {
	of      int           // what has ended
	running map[talk]int  // the number of the last turn
	fans    map[talk]bool // those whose elements tell theirs
}

// A talk is one conversation of a step.
type talk struct {
	place          string // where the index alone could mean several, and of later attempts
	index          int    // -1 outside of a foreach
	round, attempt int
}

func talkOf(e Event) talk {
	t := talk{index: -1, round: e.Round, attempt: e.StepAttempt}
	t.place, _, _ = strings.Cut(e.Place, "@")
	if e.Index != nil {
		t.index = *e.Index
	}
	return t
}

// began takes note of a foreach.
func (c *turnCount) began(e Event) {
	if e.Items == nil {
		return
	}
	if c.fans == nil {
		c.fans = map[talk]bool{}
	}
	c.fans[talkOf(e)] = true
}

// took counts a turn. A turn that results don't count has the number of the next.
func (c *turnCount) took(e Event) {
	if c.running == nil {
		c.running = map[talk]int{}
	}
	c.running[talkOf(e)] = e.Turn
}

// ended counts the step, or an element of it, as it says itself.
func (c *turnCount) ended(e Event) {
	end := talkOf(e)
	if c.fans[end] {
		return
	}
	maps.DeleteFunc(c.running, func(t talk, _ int) bool {
		return t.index == end.index && (end.place == "" || t.place == end.place)
	})
	c.of += e.Turns
}

func (c *turnCount) sum() int {
	sum := c.of
	for _, turns := range c.running {
		sum += turns
	}
	return sum
}
