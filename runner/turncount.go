package runner

import (
	"maps"

	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// A turnCount counts the turns of a step, its elements and attempts, by their
// events, as results count them: what has ended says how many it had, which are
// fewer than were taken where the model was asked for what it had. Its zero value
// has none.
type turnCount struct {
	of      int                // what has ended
	running map[unit.Unit]int  // the number of the last turn of each attempt
	fans    map[unit.Unit]bool // those whose elements tell theirs
}

// began takes note of a foreach.
func (c *turnCount) began(e Event) {
	if e.Items == nil {
		return
	}
	if c.fans == nil {
		c.fans = map[unit.Unit]bool{}
	}
	c.fans[e.Unit] = true
}

// took counts a turn. A turn that results don't count has the number of the next.
func (c *turnCount) took(e Event) {
	if c.running == nil {
		c.running = map[unit.Unit]int{}
	}
	c.running[e.Unit] = e.Turn
}

// ended counts the step, or an element of it, as it says itself.
func (c *turnCount) ended(e Event) {
	if c.fans[e.Unit] {
		return
	}
	maps.DeleteFunc(c.running, func(u unit.Unit, _ int) bool { return e.Unit.Contains(u) })
	c.of += e.Turns
}

func (c *turnCount) sum() int {
	sum := c.of
	for _, turns := range c.running {
		sum += turns
	}
	return sum
}
