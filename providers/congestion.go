package providers

import "time"

// A congestion finds how many concurrent requests a service can handle, by additive
// increase and multiplicative decrease. Until the first refusal each good answer allows one
// request more. After it each round of good answers does, up to the ceiling, which is
// where the service has refused lately, and each eighth round above that.
type congestion struct {
	allowed int       // concurrent requests; at least 1
	ceiling int       // concurrent requests that succeeded while others were refused
	good    int       // answers since allowed changed
	slowed  time.Time // when allowed was last lowered; zero before
}

// tighten handles the refusal of a request for a rate limit. The request began at the given
// time, and running requests, with that one, are under way. Requests that run at the same
// time are refused together: only the first of these refusals halves what is allowed. At
// the last of them only the successful ones still run.
func (c *congestion) tighten(began, now time.Time, running int) {
	if began.After(c.slowed) {
		c.lower(now, min(c.allowed, running)/2)
		c.ceiling = running
	}
	c.ceiling = max(c.allowed, min(c.ceiling, running-1))
}

// relieve handles a refusal because the service is overloaded, maybe by others.
func (c *congestion) relieve(began, now time.Time, running int) {
	if began.After(c.slowed) {
		c.lower(now, min(c.allowed, running)*3/4)
	}
}

func (c *congestion) lower(now time.Time, allowed int) {
	c.slowed, c.good, c.allowed = now, 0, max(1, allowed)
}

// ease handles a good answer.
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
