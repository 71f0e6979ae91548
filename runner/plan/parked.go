package plan

import "github.com/a-seed-11b9befa/flow/runner/unit"

// What waits for a person has no place among the elements of a foreach, as it has no
// slot: an element in which nothing can go on before somebody has answered is parked,
// and others begin in its place. Once there is something to do in it again it waits
// for a place.

// park parks the elements around a job, and itself, in which nothing is left but what
// waits for a person, now that something has happened to the job.
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

// unpark gives an element its place again.
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

// rests reports whether all of a job that has begun, and has not ended, waits for a
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

// returns takes note that something in parked elements is to go on.
func (p *Plan) returns(j *job) {
	for ; j != nil && p.parked > 0; j = j.around() {
		if j.parked && !j.returns {
			j.returns = true
			j.fan.elements.returning++
		}
	}
}

// admits reports whether there is a place for all parked elements around a job.
func (p *Plan) admits(j *job) bool {
	for ; j != nil && p.parked > 0; j = j.around() {
		if e := j.fan; j.parked && len(e.elements.active)-e.elements.parked >= max(e.step.MaxParallel, 1) {
			return false
		}
	}
	return true
}

// admit gives the elements around a job their places.
func (p *Plan) admit(j *job) {
	for ; j != nil && p.parked > 0; j = j.around() {
		p.unpark(j)
	}
}

// Asks reports whether an attempt waits for a person: for the answer to a call, or,
// where the call is "", to the question of its step.
func (p *Plan) Asks(attempt unit.Unit, call string) bool {
	if p.root == nil {
		return false
	}
	j, n, err := p.find(attempt)
	return err == nil && max(n, 1) == j.attempt && j.state == asking && j.asks[call]
}
