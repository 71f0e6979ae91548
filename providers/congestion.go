package providers

import "time"

// A congestion finds how many requests a service bears at once: additive
// increase, multiplicative decrease. Until the first refusal each good answer
// lets one more through; after it each round of them does, up to the ceiling,
// where the service has refused of late, and each eighth round above that.
type congestion struct {
	allowed int       // requests that may be under way; from 1 to a maximum
	ceiling int       // so many were under way, and went well, when others were limited
	good    int       // answers since allowed changed
	slowed  time.Time // when allowed was last lowered; zero before
}

// tighten takes in that we are limited: the refusal of a request that began at
// the given time, when running requests, with that one, were under way. Those
// that were under way together are refused together: only the first refusal of
// them halves what is allowed. When the last of them comes only the good ones
// still run.
func (c *congestion) tighten(began, now time.Time, running int) {
	if began.After(c.slowed) {
		c.lower(now, min(c.allowed, running)/2)
		c.ceiling = running
	}
	c.ceiling = max(c.allowed, min(c.ceiling, running-1))
}

// relieve takes in that the service is overloaded, which others may have done.
func (c *congestion) relieve(began, now time.Time, running int) {
	if began.After(c.slowed) {
		c.lower(now, min(c.allowed, running)*3/4)
	}
}

func (c *congestion) lower(now time.Time, allowed int) {
	c.slowed, c.good, c.allowed = now, 0, max(1, allowed)
}

// ease takes in a good answer.
func (c *congestion) ease(now time.Time, most int) {
	if c.allowed >= most {
		return
	}
	const caution, recent = 8, 30 * time.Second
	round := c.allowed
	switch {
	case c.slowed.IsZero():
		round = 1
	case c.allowed >= c.ceiling && now.Sub(c.slowed) < recent:
		round *= caution
	}
	if c.good++; c.good < round {
		return
	}
	c.good = 0
	c.allowed++
}
