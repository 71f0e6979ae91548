package plan

import (
	"maps"
	"slices"
)

// Elements are the elements of a foreach. One that succeeded is only a bit, so that a
// foreach may have many.
type elements struct {
	count, next int
	active      map[int]*job
	pending     []*job       // elements that run again, before others begin
	kept        map[int]*job // elements that have ended, and that failed or may run again
	done        []uint64     // a bit for each element that succeeded
	failures    int
	leftOut     int  // of count: they count as done, and never begin
	closed      bool // no other element begins
	parked      int  // of the active ones
	returning   int  // of the parked ones
	most        int  // the highest number of an attempt so far
}

func newElements(count, base int) *elements {
	return &elements{count: count, active: map[int]*job{}, kept: map[int]*job{}, done: make([]uint64, (count+63)/64), most: base}
}

func (e *elements) succeeded(i int) bool { return e.done[i/64]&(1<<(i%64)) != 0 }

// element returns an element that runs or is remembered, or nil.
func (j *job) element(i int) *job {
	if j.elements == nil {
		return nil
	}
	if e := j.elements.active[i]; e != nil {
		return e
	}
	return j.elements.kept[i]
}

// newElement returns the job of an element.
func (j *job) newElement(i, base int) *job {
	return &job{
		unit: j.unit.WithElement(i), step: j.step, index: i, fan: j,
		stands: true, attempt: base + 1, first: base + 1, base: base,
	}
}

// fill begins elements in their order, as many as may run at the same time. Once there
// are none left, the step is due to be concluded.
func (p *Plan) fill(j *job) {
	e := j.elements
	for !e.closed && j.stopped == 0 && len(e.active)-e.parked+e.returning < max(j.step.MaxParallel, 1) {
		var next *job
		switch {
		case len(e.pending) > 0:
			next, e.pending = e.pending[0], e.pending[1:]
		case e.next < e.count && e.succeeded(e.next): // it is left out
			e.next++
			continue
		case e.next < e.count:
			next = j.newElement(e.next, j.base)
			e.next++
		default:
			p.fanDone(j)
			return
		}
		e.active[next.index] = next
		if p.revive(next, false); next.state == idle {
			p.join(next)
			p.proceed(next)
		}
	}
	p.fanDone(j)
}

func (p *Plan) fanDone(j *job) {
	if len(j.elements.active) == 0 && j.state == inside {
		p.set(j, finishing)
	}
}

// elementEnded updates the foreach around an element that has ended.
func (p *Plan) elementEnded(j *job) {
	e := j.fan.elements
	p.unpark(j)
	delete(e.active, j.index)
	e.most = max(e.most, j.attempt)
	if j.good {
		e.done[j.index/64] |= 1 << (j.index % 64)
	} else {
		e.failures++
	}
	if !j.good || p.retained(j) {
		e.kept[j.index] = j
	}
	p.checkFailures(j.fan, j)
	p.fill(j.fan)
}

// checkFailures closes a foreach if it does not go on after that failure.
func (p *Plan) checkFailures(j, failed *job) {
	e := j.elements
	if !failed.good && (failed.fatal || !j.step.OnError.GoesOn()) {
		e.closed = true
		for _, i := range slices.Sorted(maps.Keys(e.active)) {
			p.stop(e.active[i], BySibling)
		}
	}
	if j.step.MaxFailures.Exceeded(e.failures, e.count-e.leftOut) {
		e.closed = true
	}
}
