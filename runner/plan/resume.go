package plan

import (
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// resume applies that the run is resumed. A run that was cut off, because its process
// died or was interrupted, keeps everything that had ended and continues what was in
// flight. A run that had ended without success runs again what did not succeed, and what
// depends on that, but nothing inside a unit that succeeded. The units that From names
// run again, with what depends on them; with Failed, everything that did not succeed
// runs again, wherever it is.
func (p *Plan) resume(r *journal.Record) error {
	anew, err := p.locateAll(r.From)
	if err != nil {
		return err
	}
	for _, j := range anew {
		j.anew = true
		j.touch()
	}
	if r.Failed {
		p.root.owe()
	}
	again := p.over && p.status != journal.Waiting && p.status != journal.Succeeded && p.root.stopped == 0
	p.over, p.status = false, ""
	p.stale = nil
	p.forEach(p.root, p.leave)
	if r.Parallel > 0 {
		p.slots = r.Parallel
	}
	p.revive(p.root, again)
	return nil
}

// revive resumes a job in the state that it is in, and ends that it was stopped. With
// again, a job that did not succeed runs again.
func (p *Plan) revive(j *job, again bool) {
	stopped := j.stopped
	j.stopped = 0
	switch {
	case j.anew:
		p.resetWhole(j)
	case j.stays(again):
		j.stopped = stopped
	default:
		p.resumeJob(j, again)
	}
	j.anew, j.touched, j.owed, j.cut = false, false, false, j.cut && j.state == ended
}

// stays reports whether a job that has ended, or is about to, does not run again.
func (j *job) stays(again bool) bool {
	switch j.state {
	case ended:
		return !j.revives(again)
	case closing:
		return j.refused || j.once
	}
	return false
}

// resumeJob resumes a job that does not stay ended, from the state that it is in.
func (p *Plan) resumeJob(j *job, again bool) {
	switch j.state {
	case ended:
		p.reopen(j, (again || j.owed) && j.unsuccessful())
		if j.state != idle { // otherwise it starts over, which is told
			p.tell(j, Reopened)
		}
	case closing:
		p.reinstate(j)
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

func (p *Plan) tell(j *job, how Revival) {
	if p.options.Revived != nil {
		p.options.Revived(j.unit, how)
	}
}

// revives reports whether a job that has ended, or something inside it, runs again.
func (j *job) revives(again bool) bool {
	return j.anew || j.touched || j.cut || (again || j.owed) && j.unsuccessful() && !j.once
}

// unsuccessful reports whether the job did not succeed although it had something to do.
func (j *job) unsuccessful() bool { return j.status != journal.Succeeded && !j.refused }

// reinstate returns a job that was about to be closed to the state before.
func (p *Plan) reinstate(j *job) {
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

// goOn makes an attempt that was in flight due to continue; one that may not begin twice
// fails instead.
func (p *Plan) goOn(j *job) {
	if j.once {
		p.close(j, journal.Failed)
		return
	}
	j.goesOn = true
	p.join(j)
	p.proceed(j)
}

// reopen resumes what is inside a job, or the job itself if nothing is.
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

// startOver resets a job to one that has not begun. Its next attempt has the next number.
func (p *Plan) startOver(j *job) {
	p.tell(j, StartOver)
	if j.begun {
		j.attempt = max(j.attempt, j.base) + 1
	}
	j.first, j.begun, j.goesOn, j.once, j.refused, j.good, j.fatal, j.status = j.attempt, false, false, false, false, false, false, ""
	j.inner, j.round, j.verdict, j.asks, j.answered = nil, 0, 0, nil, false
	p.set(j, idle)
}

// resetWhole resets a job, with everything inside it, to one that has not begun.
func (p *Plan) resetWhole(j *job) {
	p.discard(j)
	if j.elements != nil {
		j.base, j.elements = j.elements.most, nil
	}
	p.startOver(j)
}

// discard removes all tasks of a job and of everything inside it.
func (p *Plan) discard(j *job) {
	p.forEach(j, func(inner *job) {
		if inner.fan != nil {
			inner.fan.elements.most = max(inner.fan.elements.most, inner.attempt)
		}
		p.leave(inner)
		p.set(inner, idle)
	})
}

// forEach calls the function for a job and for everything inside it that the plan still
// knows, what is inside first, elements in no particular order.
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

// reviveSteps resumes a list of steps.
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
		owner.rounds = owner.round // it may run as many rounds again
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

// spread resets each step that had begun and depends on one that had ended and runs again,
// but none in which something has begun that may begin only once: that From has to name.
// A step that had not begun waits again for everything that it needs.
func (p *Plan) spread(l *steps, had []bool) {
	for changed := true; changed; {
		changed = false
		for i, j := range l.jobs {
			depends := func(k int) bool { return had[k] && l.jobs[k].state != ended }
			if j.state == idle || !slices.ContainsFunc(l.dependsOn(j), depends) && (!j.isToBegin() || l.allEnded(j)) {
				continue
			}
			switch {
			case !j.hadOnce():
				p.resetWhole(j)
			case j.isFan() && !j.refusedAgain():
				p.refuseAgain(j)
			default:
				if j.state == ended && !slices.Contains(p.stale, j.unit) {
					p.stale = append(p.stale, j.unit)
				}
				continue
			}
			had[i], changed = true, true
		}
	}
}

// refuseAgain makes a foreach fail, once it is due, that would run again and of which elements
// have begun that may begin only once: which of the new elements have not is not known.
func (p *Plan) refuseAgain(j *job) {
	p.resetWhole(j)
	j.once = true
}

// refusedAgain reports whether refuseAgain was called for the job.
func (j *job) refusedAgain() bool { return j.isFan() && j.once }

// Stale returns the steps that the last Resumed record left as they had ended although they
// depend on something that runs again: they may begin only once.
func (p *Plan) Stale() []journal.Unit { return p.stale }

// hadOnce reports whether something in the job has begun that may begin only once.
func (j *job) hadOnce() bool {
	switch {
	case j.elements != nil:
		return j.elements.next > 0 && holdsOnce(j.step)
	case j.inner != nil:
		return slices.ContainsFunc(j.inner.jobs, (*job).hadOnce)
	}
	return j.once || j.state == ended && j.status == journal.Succeeded && holdsOnce(j.step)
}

// holdsOnce reports whether a step, or one inside it, may begin only once.
func holdsOnce(step *workflows.Step) bool {
	return step.Once || slices.ContainsFunc(step.Inside(), holdsOnce)
}

// isToBegin reports whether the job has done nothing yet.
func (j *job) isToBegin() bool {
	return !j.goesOn && (j.state == deciding || j.state == counting || j.attempt == j.first && (j.state == queued || j.state == ready))
}

// dependsOn returns the steps on which a step's own work depends. If its condition looks
// at the status of others, those are all that it needs.
func (l *steps) dependsOn(j *job) []int {
	if j.step.If.UsesStatus() {
		return slices.Concat(j.step.Depends, l.allNeeds(j))
	}
	return j.step.Depends
}

// reviveElements resumes a foreach. Elements that run again come before those that have
// not begun.
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
		e.kept[j.index] = j
	}
	e.pending, e.closed, e.failures = nil, false, 0
	var failed *job
	for _, i := range slices.Sorted(maps.Keys(e.kept)) {
		kept := e.kept[i]
		switch {
		case kept.state == idle || kept.revives(again):
			if kept.owed = true; kept.state == ended {
				p.tell(kept, Owed)
			}
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
