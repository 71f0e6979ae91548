package plan

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Steps are the running steps of a workflow, or of one round of a group.
type steps struct {
	owner  *job
	jobs   []*job
	left   int  // how many have not ended
	broken bool // one of them failed
	loose  bool // after a resume: a step may have ended although one that it needs runs again
}

// open begins a list of steps inside of a job.
func (p *Plan) open(owner *job, list []*workflows.Step) {
	around := owner.unit
	if owner.attempt > 1 { // addresses name the attempts around a unit from the second on
		around = owner.unit.WithAttempt(owner.attempt)
	}
	l := &steps{owner: owner, jobs: make([]*job, len(list)), left: len(list)}
	for i, step := range list {
		attempt := owner.base + 1
		if owner.step != nil {
			attempt = 1 // the owner's attempt is in the address
		}
		l.jobs[i] = &job{
			unit: around.Child(step.Name).WithRound(owner.round), step: step, steps: l, index: i,
			attempt: attempt, first: attempt, base: attempt - 1,
		}
	}
	owner.inner = l
	p.set(owner, inside)
	p.startDue(l)
}

func (l *steps) named(name string) *job {
	for _, j := range l.jobs {
		if j.step.Name == name {
			return j
		}
	}
	return nil
}

// startDue starts each step for which everything that it needs has ended. Once no step is
// left, it moves the owner on.
func (p *Plan) startDue(l *steps) {
	for _, j := range l.jobs {
		if j.state == idle && l.allEnded(j) {
			p.start(j)
		}
	}
	if l.left > 0 {
		return
	}
	if j := l.owner; j.step != nil && j.step.Repeats() && !l.broken && j.stopped == 0 && j.verdict == 0 {
		p.set(j, judging)
	} else {
		p.set(j, finishing)
	}
}

// allEnded reports whether all steps that a step needs have ended.
func (l *steps) allEnded(j *job) bool {
	return !slices.ContainsFunc(l.needs(j), func(i int) bool { return l.jobs[i].state != ended })
}

// needs are the steps whose ends decide whether a step begins. In a list that was resumed
// those may count for others than they did: then they are all that it needs.
func (l *steps) needs(j *job) []int {
	if l.loose {
		return l.allNeeds(j)
	}
	return j.step.Needs
}

// allNeeds returns the steps that a step needs, directly or indirectly.
func (l *steps) allNeeds(j *job) []int {
	all := slices.Clone(j.step.Needs)
	for k := 0; k < len(all); k++ {
		for _, i := range l.jobs[all[k]].step.Needs {
			if !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
	}
	return all
}

// start starts a step once those that it needs have ended. After a failure it is skipped,
// unless its condition calls failure() or always().
func (p *Plan) start(j *job) {
	l := j.steps
	j.stands = true
	for _, i := range l.needs(j) {
		j.stands = j.stands && l.jobs[i].good && (l.loose || l.jobs[i].stands)
	}
	switch {
	case l.owner.stopped != 0 && (l.owner.stopped != ByInterrupt || !usesAlways(j.step)):
		j.stopped = l.owner.stopped
		p.close(j, journal.Skipped)
		return
	case !j.step.If.UsesStatus() && (l.broken || !j.stands):
		p.close(j, journal.Skipped)
		return
	}
	p.join(j)
	if j.step.If != nil {
		p.set(j, deciding)
		return
	}
	p.proceed(j)
}

// usesAlways reports whether the step still runs for a while after an interrupt.
func usesAlways(step *workflows.Step) bool {
	return step != nil && step.If.UsesAlways()
}

// proceed moves on a step whose condition holds.
func (p *Plan) proceed(j *job) {
	switch {
	case j.refusedAgain():
		p.close(j, journal.Failed)
	case j.isFan():
		p.set(j, counting)
	case j.works() && !j.holds:
		p.set(j, queued)
	default:
		p.set(j, ready)
	}
}

// stepEnded updates the list around a step that has ended.
func (p *Plan) stepEnded(j *job) {
	l := j.steps
	l.left--
	if !j.good {
		p.breakUp(l)
	}
	p.startDue(l)
}

// breakUp stops the other steps of a list after one has failed.
func (p *Plan) breakUp(l *steps) {
	l.broken = true
	for _, j := range l.jobs {
		if !j.step.If.UsesStatus() {
			p.stop(j, BySibling)
		}
	}
}
