package plan

import "github.com/a-seed-11b9befa/flow/runner/journal"

// A unit that waits for a person has no slot. Likewise, an element of a foreach in which
// nothing can continue before a person has answered is parked: it does not count against
// max_parallel, and other elements begin in its place. Once something in it is due again,
// it waits until there is room.

// park parks a job and the elements around it if everything in them that has not ended
// waits for a person. It is called after each change of the job.
func (p *Plan) park(j *job) {
	for ; j != nil && p.asking+p.parked > 0; j = j.around() {
		switch rests := j.fan != nil && j.rests(); {
		case j.fan == nil || j.state == ended || rests == j.parked:
		case rests:
			j.parked = true
			j.fan.elements.parked++
			p.parked++
			p.fill(j.fan)
		case !j.returns: // its time was up, or it was stopped
			p.unpark(j)
		}
	}
}

// unpark ends that an element is parked.
func (p *Plan) unpark(j *job) {
	if j.parked {
		j.parked = false
		j.fan.elements.parked--
		p.parked--
	}
	if j.returns {
		j.returns = false
		j.fan.elements.returning--
	}
}

// rests reports whether everything in a job that has begun and not ended waits for a
// person.
func (j *job) rests() bool {
	switch {
	case j.state != inside:
		return j.state == asking
	case j.elements != nil:
		return j.elements.parked > 0 && j.elements.parked == len(j.elements.active)
	}
	waits := false
	for _, inner := range j.inner.jobs {
		if inner.state == ended || inner.state == idle {
			continue
		}
		if !inner.rests() {
			return false
		}
		waits = true
	}
	return waits
}

// returns notes in the parked elements around a job that the job is due to continue.
func (p *Plan) returns(j *job) {
	for ; j != nil && p.parked > 0; j = j.around() {
		if j.parked && !j.returns {
			j.returns = true
			j.fan.elements.returning++
		}
	}
}

// admits reports whether there is room for all parked elements around a job.
func (p *Plan) admits(j *job) bool {
	for ; j != nil && p.parked > 0; j = j.around() {
		if e := j.fan; j.parked && len(e.elements.active)-e.elements.parked >= max(e.step.MaxParallel, 1) {
			return false
		}
	}
	return true
}

// admit unparks the elements around a job.
func (p *Plan) admit(j *job) {
	for ; j != nil && p.parked > 0; j = j.around() {
		p.unpark(j)
	}
}

// Asks reports whether an attempt waits for a person to answer a call or, if the call
// is "", the question of its step.
func (p *Plan) Asks(attempt journal.Unit, call string) bool {
	if p.root == nil {
		return false
	}
	j, n, err := p.find(attempt)
	return err == nil && max(n, 1) == j.attempt && j.state == asking && j.asks[call]
}
