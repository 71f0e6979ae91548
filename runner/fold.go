package runner

import (
	"time"

	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/runner/record"
)

// fold takes a record of a unit, after the plan. What comes with a record that was
// written in this process is taken as it is; else it is read back when it is asked
// for. e.mu is held.
func (e *engine) fold(n *node, r *record.Record) {
	switch r.Kind {
	case record.Decided:
		n.decided(r)
	case record.Began:
		n.beginsBy(r)
	case record.Said, record.Called, record.Answer:
		n.facts, n.latest = append(n.facts, r.At), r.Time
	case record.Again:
		n.startOver()
		n.before, n.retried = r.At, true
	case record.Ended:
		succeeded := r.Status == record.Succeeded
		if n.isElement() && !succeeded && (r.Fatal || !n.step.OnError.GoesOn()) {
			n.parent.elements.failed = true
		}
		e.ends(n, keptResult{at: r.At}, succeeded)
	}
}

func (n *node) decided(r *record.Record) {
	switch r.About {
	case record.Elements:
		n.began = r.Time
		n.elements = &fan{count: r.Count, leftOut: r.LeftOut, record: r.At, active: map[int]*node{}, over: make([]keptResult, r.Count)}
	case record.Until:
		n.verdict = &r.Holds
	case record.Inner:
		if !r.Data.IsZero() {
			n.facts, n.latest = append(n.facts, r.At), r.Time
		}
	}
}

// beginsBy takes that an attempt begins, or goes on.
func (n *node) beginsBy(r *record.Record) {
	if attempt := r.Unit.Attempt(); attempt != n.attempt || n.since.IsZero() || !n.works() {
		n.startOver()
		n.attempt = attempt
	}
	if !r.Data.IsZero() {
		n.work = r.At
	}
	if n.began.IsZero() {
		n.began = r.Time
	}
	if !n.since.IsZero() {
		n.worked += n.latest.Sub(n.since)
	}
	n.since, n.latest = r.Time, r.Time
}

// ends takes what a unit came to. What is in it is needed no more but by its place,
// unless a resumed run may take something of it up again.
func (e *engine) ends(n *node, over keptResult, succeeded bool) {
	more := keptMore{fan: n.elements}
	if n.elements == nil {
		for i, inner := range n.inner {
			if inner != nil && inner.over.is() {
				if more.inner == nil {
					more.inner = make([]keptResult, len(n.inner))
				}
				more.inner[i] = inner.over
			}
		}
	}
	if n.result != nil && (!n.exact || over.at == 0) {
		more.held = n.result
	}
	if more.inner != nil || more.fan != nil || more.held != nil {
		over.more = &more
	}
	n.over = over
	keeps := !e.live && (!succeeded || e.plan.Retains(n.unit))
	if !keeps {
		n.empty()
		n.rounds = nil
	}
	if of := n.parent.elements; of != nil {
		of.over[n.place] = over
		if !keeps {
			delete(of.active, n.place)
		}
	}
}

// takeUp takes that a run is gone on with: what the plan has taken up again has not
// ended any more.
func (e *engine) takeUp(n *node) {
	if n.step != nil {
		switch e.plan.Standing(n.unit) {
		case plan.Unknown, plan.Over:
			n.empty()
			return
		case plan.Fresh:
			if n.over.is() {
				n.before, n.retried, n.began = n.over.at, false, time.Time{}
			}
			n.startOver()
		}
		n.over, n.result = keptResult{}, nil
	}
	for _, inner := range n.inner {
		if inner != nil {
			e.takeUp(inner)
		}
	}
	if n.elements != nil {
		e.takeUpElements(n)
	}
}

// takeUpElements takes up those that did not succeed.
func (e *engine) takeUpElements(n *node) {
	for i := range n.elements.over {
		over := &n.elements.over[i]
		active := n.elements.active[i]
		if !over.is() && active == nil {
			continue
		}
		u := n.unit.WithElement(i)
		if standing := e.plan.Standing(u); standing == plan.Unknown || standing == plan.Over {
			delete(n.elements.active, i)
			continue
		}
		if active == nil {
			active = n.element(i)
			active.over = *over
		}
		n.elements.failed = false
		*over = keptResult{}
		e.takeUp(active)
	}
}
