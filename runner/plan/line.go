package plan

import (
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// join puts a job that needs a slot at the end of the line.
func (p *Plan) join(j *job) {
	if j.works() {
		j.waits = true
		p.line = append(p.line, j)
		p.returns(j)
	}
}

// leave gives up the job's slot, or its place in the line.
func (p *Plan) leave(j *job) {
	switch {
	case j.holds:
		p.busy--
	case j.waits:
		p.line = slices.DeleteFunc(p.line, func(w *job) bool { return w == j })
	}
	j.holds, j.waits = false, false
}

// grant gives free slots to the jobs that have waited longest.
func (p *Plan) grant() {
	for p.busy < p.slots && len(p.line) > 0 {
		i := slices.IndexFunc(p.line, p.admits)
		if i < 0 {
			return
		}
		j := p.line[i]
		if i == 0 {
			p.line = p.line[1:]
		} else {
			p.line = slices.Delete(p.line, i, i+1)
		}
		p.admit(j)
		j.waits, j.holds = false, true
		p.busy++
		if j.state == queued {
			p.set(j, ready)
		}
	}
}

// close makes a job due to end without beginning, or without another attempt.
func (p *Plan) close(j *job, status journal.Status) {
	p.leave(j)
	j.before, j.status = j.state, status
	p.set(j, closing)
}

// stopOf returns the reason that a record gives.
func stopOf(r *journal.Record) Stop {
	if r.Holds {
		return ByInterrupt
	}
	return ByOther
}

// stop stops a job and everything inside it. A job that waits for a person keeps waiting,
// unless its own time is up, and a job whose question is answered is not stopped by a
// failure beside it.
func (p *Plan) stop(j *job, by Stop) {
	switch {
	case j.state == idle || j.state == ended || j.stopped != 0 && (j.stopped != ByInterrupt || by != ByOther):
		return
	case by == ByInterrupt && j.fan == nil && usesAlways(j.step):
		return
	case j.state == asking && (by == BySibling || p.root.stopped != 0):
		return
	case j.answered && by == BySibling:
		return
	}
	j.stopped = by
	switch j.state {
	case deciding:
		p.close(j, journal.Skipped)
	case counting, queued, ready, resting, asking:
		p.close(j, journal.Cancelled)
	case working:
		p.cancel(j)
	case judging:
		p.set(j, finishing)
	case inside:
		p.stopInside(j, by)
	}
}

// stopInside stops the steps or the elements in a job.
func (p *Plan) stopInside(j *job, by Stop) {
	if e := j.elements; e != nil {
		for _, i := range slices.Sorted(maps.Keys(e.active)) {
			p.stop(e.active[i], by)
		}
		p.fill(j)
		return
	}
	for _, inner := range j.inner.jobs {
		p.stop(inner, by)
	}
}
