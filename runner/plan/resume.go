package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// resume takes that the run is gone on with. One that was cut off, by the death of
// its process or an interruption, keeps all that had ended and goes on with what was
// in flight. One that had ended without success takes up again what did not succeed, and what
// depends on that, but nothing inside of what succeeded. What From names is taken up
// anew, with what depends on it; Failed takes up again what did not succeed wherever it is.
func (p *Plan) resume(r *record.Record) error {
	targets := make([]*job, len(r.From))
	for i, u := range r.From {
		j, err := p.locate(u)
		if err != nil {
			return err
		}
		targets[i] = j
	}
	for _, j := range targets {
		j.anew = true
		for at := j.around(); at != nil; at = at.around() {
			at.touched = true
		}
	}
	if r.Failed {
		p.root.owe()
	}
	again := p.over && p.status != record.Waiting && p.status != record.Succeeded && p.root.stopped == 0
	p.over, p.status = false, ""
	p.forEach(p.root, p.leave)
	if r.Parallel > 0 {
		p.slots = r.Parallel
	}
	p.revive(p.root, again)
	return nil
}

// locate finds what is to be taken up anew. Attempts may be left out; a round may
// only be the last.
func (p *Plan) locate(u unit.Unit) (*job, error) {
	j := p.root
	for part := range u.Parts() {
		if j.inner == nil {
			return nil, fmt.Errorf("what was inside of %q is not known any more", j.unit)
		}
		if part.Round != 0 && part.Round != j.round {
			return nil, fmt.Errorf("%q is in round %d: only the last one can be taken up anew, or all of them", j.unit, j.round)
		}
		child := j.inner.named(part.Name)
		if child != nil && part.Element >= 0 {
			child = child.remembered(part.Element)
		}
		if child == nil {
			return nil, fmt.Errorf("the run has no unit %s", u)
		}
		if part.Attempt != 0 && part.Attempt != child.attempt {
			return nil, fmt.Errorf("%q is in attempt %d", child.unit, child.attempt)
		}
		j = child
	}
	if j == p.root {
		return nil, errors.New("all of a run is taken up anew by running it again")
	}
	return j, nil
}

// remembered is an element that has begun, also if nothing more than that it
// succeeded is known of it.
func (j *job) remembered(i int) *job {
	if found := j.element(i); found != nil || j.elements == nil || i >= j.elements.count || !j.elements.succeeded(i) {
		return found
	}
	e := j.newElement(i, j.elements.most)
	e.attempt, e.state, e.status, e.good = j.elements.most, ended, record.Succeeded, true
	e.begun = true
	j.elements.kept[i] = e
	return e
}

// owe notes what did not succeed as owed, and what that is in as touched. It reports
// whether there is any.
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

// retained reports whether the job, or something inside of it, may be taken up
// anew.
func (p *Plan) retained(j *job) bool {
	return p.options.Failed && j.lacks() || len(p.options.Retain) > 0 && p.named(j.unit)
}

// lacks reports whether something inside of a job that has ended did not succeed, or
// something in that.
func (j *job) lacks() bool {
	if j.elements != nil {
		return len(j.elements.kept) > 0
	}
	return j.inner != nil && slices.ContainsFunc(j.inner.jobs, func(inner *job) bool {
		return inner.unsuccessful() || inner.inner != nil || inner.elements != nil
	})
}

// Retains reports whether what is inside of a unit that has ended may be taken up anew, or
// the unit itself.
func (p *Plan) Retains(v unit.Unit) bool {
	if p.named(v) {
		return true
	}
	if !p.options.Failed {
		return false
	}
	j, _, err := p.find(v)
	return err == nil && (j.inner != nil || j.elements != nil)
}

// named reports whether a unit, or something inside of it, is named to be taken up anew.
func (p *Plan) named(v unit.Unit) bool {
	return slices.ContainsFunc(p.options.Retain, func(u unit.Unit) bool { return onOneWay(u, v) })
}

// onOneWay reports whether one of the units is inside of the other, in whatever
// round and attempt.
func onOneWay(u, v unit.Unit) bool {
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

// revive takes up a job where it stands; again, also where it did not succeed. What
// was stopped is no longer.
func (p *Plan) revive(j *job, again bool) {
	stopped := j.stopped
	j.stopped = 0
	switch {
	case j.anew:
		p.takeAnew(j)
	case j.stays(again):
		j.stopped = stopped
	default:
		p.takeUp(j, again)
	}
	j.anew, j.touched, j.owed, j.cut = false, false, false, j.cut && j.state == ended
}

// stays reports whether a job that has ended, or is about to, is left so.
func (j *job) stays(again bool) bool {
	switch j.state {
	case ended:
		return !j.revives(again)
	case closing:
		return j.refused || j.once
	}
	return false
}

// takeUp goes on with a job from the state that it is in.
func (p *Plan) takeUp(j *job, again bool) {
	switch j.state {
	case ended:
		p.reopen(j, (again || j.owed) && j.unsuccessful())
	case closing:
		p.takeBack(j)
	case working:
		p.goOn(j)
	case deciding:
		p.join(j)
	case queued, ready:
		if j.goesOn {
			p.goOn(j)
			return
		}
		p.join(j)
		p.proceed(j)
	case inside, judging, finishing:
		p.reopen(j, again)
	}
}

// revives reports whether something of a job that has ended is to be done again.
func (j *job) revives(again bool) bool {
	return j.anew || j.touched || j.cut || (again || j.owed) && j.unsuccessful() && !j.once
}

// unsuccessful reports whether there is something to be made good.
func (j *job) unsuccessful() bool { return j.status != record.Succeeded && !j.refused }

// takeBack puts a job back that was to be closed.
func (p *Plan) takeBack(j *job) {
	switch before := j.before; {
	case before == idle:
		p.set(j, idle)
	case j.goesOn:
		p.goOn(j)
	case before == resting || before == asking:
		p.set(j, before)
	default:
		p.join(j)
		if before == deciding {
			p.set(j, deciding)
		} else {
			p.proceed(j)
		}
	}
}

// goOn goes on with an attempt that was in flight, unless it may not be begun
// twice.
func (p *Plan) goOn(j *job) {
	if j.once {
		p.close(j, record.Failed)
		return
	}
	j.goesOn = true
	p.join(j)
	p.proceed(j)
}

// reopen takes up what is in a job, or the job itself where nothing is.
func (p *Plan) reopen(j *job, again bool) {
	switch {
	case j.inner != nil:
		p.set(j, inside)
		p.reviveSteps(j.inner, again)
	case j.elements != nil:
		p.set(j, inside)
		p.reviveElements(j, again)
	case j.state == finishing:
		p.set(j, finishing)
	case j.cut && j.begun && j.works():
		p.goOn(j)
	default:
		p.startOver(j)
	}
}

// startOver makes a job one that has not begun. Its attempts go on to be counted.
func (p *Plan) startOver(j *job) {
	if j.begun {
		j.attempt = max(j.attempt, j.base) + 1
	}
	j.first, j.begun, j.goesOn, j.once, j.refused, j.good, j.fatal, j.status = j.attempt, false, false, false, false, false, false, ""
	j.inner, j.round, j.verdict, j.asks, j.answered = nil, 0, 0, nil, false
	if j.step != nil {
		j.spending = nil
	}
	p.set(j, idle)
}

// takeAnew makes a job one that has not begun, with all that is in it.
func (p *Plan) takeAnew(j *job) {
	p.discard(j)
	if j.elements != nil {
		j.base, j.elements = j.elements.most, nil
	}
	p.startOver(j)
}

// discard lets go of all that is due in a job.
func (p *Plan) discard(j *job) {
	p.forEach(j, func(inner *job) {
		if inner.fan != nil {
			inner.fan.elements.most = max(inner.fan.elements.most, inner.attempt)
		}
		p.leave(inner)
		p.set(inner, idle)
	})
}

// forEach calls the function with a job and all in it that have not ended, in no
// order that matters.
func (p *Plan) forEach(j *job, do func(*job)) {
	if e := j.elements; e != nil {
		for _, active := range e.active {
			p.forEach(active, do)
		}
	}
	if j.inner != nil {
		for _, inner := range j.inner.jobs {
			p.forEach(inner, do)
		}
	}
	do(j)
}

// reviveSteps takes up a list of steps.
func (p *Plan) reviveSteps(l *steps, again bool) {
	l.loose = true
	had := make([]bool, len(l.jobs))
	for i, j := range l.jobs {
		had[i] = j.state == ended
		p.revive(j, again)
	}
	p.spread(l, had)
	l.left, l.broken = 0, false
	for _, j := range l.jobs {
		if j.state != ended {
			l.left++
		}
		l.broken = l.broken || j.state == ended && !j.good
	}
	if l.broken {
		p.breakUp(l)
	}
	owner := l.owner
	more := again && owner.verdict == holdsNot
	if more {
		owner.rounds = owner.round // it may go as many rounds again
	}
	switch {
	case l.left > 0:
		owner.verdict = 0
	case more:
		p.nextRound(owner)
		return
	}
	p.startDue(l)
}

// spread takes up anew what had begun and depends on what had ended and is taken up.
// What had not begun waits again for all that it needs.
func (p *Plan) spread(l *steps, had []bool) {
	for changed := true; changed; {
		changed = false
		for i, j := range l.jobs {
			depends := func(k int) bool { return had[k] && l.jobs[k].state != ended }
			if j.state != idle && (slices.ContainsFunc(l.dependsOn(j), depends) || j.isToBegin() && !l.allEnded(j)) {
				had[i], changed = true, true
				p.takeAnew(j)
			}
		}
	}
}

// isToBegin reports whether nothing has been done of the job yet.
func (j *job) isToBegin() bool {
	return !j.goesOn && (j.state == deciding || j.state == counting || j.attempt == j.first && (j.state == queued || j.state == ready))
}

// dependsOn are the steps on which a step's own work depends: where it looks at how
// others went, all that it needs.
func (l *steps) dependsOn(j *job) []int {
	if looksAtStatus(j.step) {
		return slices.Concat(j.step.Depends, l.allNeeds(j))
	}
	return j.step.Depends
}

// reviveElements takes up a foreach. Elements that have something to be done again
// come before others that have not begun, so many at a time as may.
func (p *Plan) reviveElements(j *job, again bool) {
	e := j.elements
	for _, i := range slices.Sorted(maps.Keys(e.active)) {
		active := e.active[i]
		if p.revive(active, again); active.state == idle {
			p.unpark(active)
			e.kept[i] = active
			delete(e.active, i)
		}
	}
	for _, j := range e.pending {
		e.kept[j.place] = j
	}
	e.pending, e.closed, e.failures = nil, false, 0
	var failed *job
	for _, i := range slices.Sorted(maps.Keys(e.kept)) {
		kept := e.kept[i]
		switch {
		case kept.state == idle || kept.revives(again):
			kept.owed = true
			e.pending = append(e.pending, kept)
			delete(e.kept, i)
			e.done[i/64] &^= 1 << (i % 64)
		case !kept.good:
			e.failures++
			if failed == nil || kept.fatal {
				failed = kept
			}
		}
	}
	if failed != nil {
		p.checkFailures(j, failed)
	}
	p.fill(j)
}

// A Standing is where a unit stands, for programs that keep more of it than the plan does.
type Standing uint8

// The standings.
const (
	Unknown Standing = iota // nothing is known of it any more, since it or something around it succeeded; or it has not begun
	Over                    // it has ended
	Owed                    // it has ended, and is to be taken up once there is a place for it among the elements
	Open                    // it has not, and there is something in it
	Midway                  // it has not, and goes on where it was
	Fresh                   // it has not, and nothing is in it
)

// Standing says where a unit stands. Attempts are left out.
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

// remains is an element of which something is to be done, or is known.
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
