package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// locate returns the job that is to run again. The address may leave out attempts; a
// round in it has to be the last.
func (p *Plan) locate(u journal.Unit) (*job, error) {
	j := p.root
	for part := range u.Parts() {
		if j.inner == nil && j.works() && !j.begun {
			return nil, fmt.Errorf("the run has no unit %s: %s has not begun", u, j.unit)
		}
		var child *job
		if j.inner != nil {
			child = j.inner.named(part.Name)
		}
		if child != nil && part.Element >= 0 {
			child = child.remembered(part.Element)
		}
		switch {
		case child == nil:
			return nil, fmt.Errorf("the run has no unit %s", u)
		case part.Round != 0 && j.round == 0 && child.step.Repeats():
			return nil, fmt.Errorf("the run has no unit %s: number the rounds of %s at a step in it, such as %s/%s#%d", u, part.Name, part.Name, child.step.Inside()[0].Name, part.Round)
		case part.Round != 0 && j.round == 0:
			return nil, fmt.Errorf("the run has no unit %s: # numbers the rounds of a group with until, and %s is in none", u, part.Name)
		case part.Round != 0 && part.Round != j.round:
			return nil, fmt.Errorf("%q is in round %d: only the last round can be rerun, or all of them", j.unit, j.round)
		case part.Attempt != 0 && part.Attempt != child.attempt:
			return nil, fmt.Errorf("%q is in attempt %d", child.unit, child.attempt)
		}
		j = child
	}
	if j == p.root {
		return nil, errors.New("to rerun all of it, use flow run")
	}
	return j, nil
}

func (p *Plan) locateAll(units []journal.Unit) (all []*job, err error) {
	for _, u := range units {
		j, err := p.locate(u)
		if err != nil {
			return nil, err
		}
		all = append(all, j)
	}
	return all, nil
}

// touch marks what is around a job that changes.
func (j *job) touch() {
	for at := j.around(); at != nil; at = at.around() {
		at.touched = true
	}
}

// remembered returns an element that has begun, or nil. Of one that succeeded the plan
// may know nothing else; then it returns a new job that has ended so.
func (j *job) remembered(i int) *job {
	if found := j.element(i); found != nil || j.elements == nil || i >= j.elements.count || !j.elements.succeeded(i) {
		return found
	}
	e := j.newElement(i, j.elements.most)
	e.attempt, e.state, e.status, e.good = j.elements.most, ended, journal.Succeeded, true
	e.begun = true
	j.elements.kept[i] = e
	return e
}

// owe marks each job that did not succeed as owed, and those around it as touched. It
// reports whether there is any.
func (j *job) owe() (owes bool) {
	if j.inner != nil {
		for _, inner := range j.inner.jobs {
			owes = inner.owe() || owes
		}
	}
	if e := j.elements; e != nil {
		for _, elements := range []map[int]*job{e.active, e.kept} {
			for _, element := range elements {
				owes = element.owe() || owes
			}
		}
	}
	switch {
	case owes:
		j.touched = true
	case j.state == ended && j.unsuccessful() && !j.once:
		j.owed, owes = true, true
	}
	return owes
}

// retained reports whether the job, or something inside it, may run again later.
func (p *Plan) retained(j *job) bool {
	return p.options.Failed && j.lacks() || len(p.options.Retain) > 0 && p.named(j.unit)
}

// lacks reports whether something inside a job that has ended did not succeed, or may
// contain something that did not.
func (j *job) lacks() bool {
	if j.elements != nil {
		return len(j.elements.kept) > 0
	}
	return j.inner != nil && slices.ContainsFunc(j.inner.jobs, func(inner *job) bool {
		return inner.unsuccessful() || inner.inner != nil || inner.elements != nil
	})
}

// Retains reports whether a unit that has ended, or something inside it, may run again
// later.
func (p *Plan) Retains(v journal.Unit) bool {
	if p.named(v) {
		return true
	}
	j, _, err := p.find(v)
	return err == nil && (j.inner != nil || j.elements != nil)
}

// MayStop reports whether a unit is to begin or works, so that it can be stopped.
func (p *Plan) MayStop(u journal.Unit) bool {
	j, _, err := p.find(u)
	return err == nil && j.state != idle && j.state != ended
}

// named reports whether [Options] names the unit, something inside it, or something
// around it.
func (p *Plan) named(v journal.Unit) bool {
	return slices.ContainsFunc(p.options.Retain, func(u journal.Unit) bool { return onOneWay(u, v) })
}

// onOneWay reports whether one of the units is the other, or inside it, in whatever
// round and attempt.
func onOneWay(u, v journal.Unit) bool {
	others := slices.Collect(v.Parts())
	i := 0
	for part := range u.Parts() {
		if i == len(others) {
			break
		}
		if other := others[i]; part.Name != other.Name || min(part.Element, other.Element) >= 0 && part.Element != other.Element {
			return false
		}
		i++
	}
	return true
}
