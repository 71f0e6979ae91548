package plan

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// A Standing is the state of a unit, for drivers that keep more about units than the plan
// does.
type Standing uint8

// The standings.
const (
	Unknown Standing = iota // it has not begun, or the plan has forgotten it because it or something around it succeeded
	Over                    // it has ended
	Owed                    // it has ended, and runs again once there is room for it among the elements
	Open                    // it has not ended, and has steps or elements inside it
	Midway                  // it has not ended, and continues where it was
	Fresh                   // it has not ended, and has nothing inside it
)

// Standing returns the state of a unit, whatever attempt the address names.
func (p *Plan) Standing(u unit.Unit) Standing {
	j := p.root
	for part := range u.Parts() {
		if j.inner == nil || part.Round != j.round {
			return Unknown
		}
		if j = j.inner.named(part.Name); j != nil && part.Element >= 0 {
			j = j.remains(part.Element)
		}
		if j == nil {
			return Unknown
		}
	}
	switch {
	case j.state == ended && j.owed:
		return Owed
	case j.state == ended:
		return Over
	case j.inner != nil || j.elements != nil:
		return Open
	case j.goesOn, j.state == asking:
		return Midway
	}
	return Fresh
}

// remains returns an element that runs, is remembered or is due to run again; else nil.
func (j *job) remains(i int) *job {
	if found := j.element(i); found != nil || j.elements == nil {
		return found
	}
	pending := j.elements.pending
	at, is := slices.BinarySearchFunc(pending, i, func(j *job, i int) int { return j.place - i })
	if !is {
		return nil
	}
	return pending[at]
}
