package runner

import (
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
)

// fold applies a record of a unit to its node, after the plan has taken it. Data of a record
// that this process has written is kept; other data is read when it is needed. e.mu is held, or
// nothing else works yet.
func (e *engine) fold(n *node, r *journal.Record) {
	e.waits.Take(r)
	n.account().take(r)
	switch r.Kind {
	case journal.Decided:
		if r.About == journal.Keep {
			e.old.keep(int64(r.Count))
			e.ends(n, keptResult{at: r.At}, true)
		}
		if r.About == journal.Elements {
			n.began, n.after = r.Time, e.took()
		}
		n.decided(r)
	case journal.Began:
		e.begins(n, r.Time)
		n.beginsBy(r)
		if n.step.Use != nil {
			n.budget = e.accounts.open(n.step.Use.Workflow.Budget, r.Unit.String(), n.parent.account())
		}
		for at := n; e.old != nil && n.works() && at != nil; at = at.parent {
			at.anew = true
		}
	case journal.Said, journal.Called, journal.Answer, journal.Asked:
		n.facts, n.latest, n.inFlight = append(n.facts, r.At), r.Time, false
	case journal.Answered:
		n.facts = append(n.facts, r.At)
		n.replied, n.answered = r.At, true
	case journal.Again:
		n.startOver()
		n.before, n.retried, n.left = r.At, r.At != 0, nil // 0: it could not be written, and no attempt follows
	case journal.Ended:
		succeeded := r.Status == journal.Succeeded
		n.reason = steps.Kind(r.Reason)
		if of := n.parent.elements; of != nil && !succeeded {
			of.failed = of.failed || r.Fatal || !n.step.OnError.GoesOn()
			of.reasons[n.index] = steps.Kind(r.Reason)
		}
		e.ends(n, keptResult{at: r.At}, succeeded)
	}
}

// begins applies that a unit begins, unless it has begun. It is called as fold is.
func (e *engine) begins(n *node, at time.Time) {
	if n.began.IsZero() {
		n.began, n.after = at, e.took()
	}
}

func (n *node) decided(r *journal.Record) {
	switch r.About {
	case journal.Elements:
		n.elements = &fan{count: r.Count, leftOut: r.LeftOut, record: r.At, active: map[int]*node{}, reasons: map[int]steps.Kind{}, over: make([]keptResult, r.Count)}
	case journal.Until:
		n.verdict = &r.Holds
	case journal.Inner:
		n.inFlight = false
		if r.Data != nil {
			n.facts, n.latest = append(n.facts, r.At), r.Time
		}
	}
}

// beginsBy applies that an attempt begins or continues.
func (n *node) beginsBy(r *journal.Record) {
	if attempt := r.Unit.Attempt(); attempt != n.attempt || n.since.IsZero() || !n.works() {
		n.startOver()
		n.attempt = attempt
	}
	if r.Data != nil {
		n.work = r.At
	}
	n.answered = false
	if !n.since.IsZero() {
		n.worked += n.latest.Sub(n.since)
	}
	n.since, n.latest = r.Time, r.Time
}

// ends applies the result of a unit. Of what is inside it only the offsets of results are
// kept, unless something inside may run again in a resumed run. It is called as fold is.
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
		more.inMemory = n.result
	}
	if more.inner != nil || more.fan != nil || more.inMemory != nil {
		over.more = &more
	}
	n.over = over
	keeps := !e.live && (!succeeded || e.plan.Retains(n.unit))
	if !keeps {
		n.empty()
		n.rounds = nil
	}
	if of := n.parent.elements; of != nil {
		of.over[n.index] = over
		if !keeps {
			delete(of.active, n.index)
		}
	}
}

// revived applies that a unit does not stay as it was because the run is resumed. It is called
// while the plan takes a record, as fold is.
func (e *engine) revived(u journal.Unit, how plan.Revival) {
	n := e.node(u)
	if n.isElement() {
		fan := n.parent.elements
		fan.failed = false
		delete(fan.reasons, n.index)
		if n.owed = how == plan.Owed; n.owed {
			return // it keeps everything that it had until there is room
		}
		fan.over[n.index] = keptResult{}
	}
	if how == plan.StartOver {
		n.left = n.leave(nil)
		if n.over.is() { // what it came to says all of that
			n.before, n.retried, n.began, n.left = n.over.at, false, time.Time{}, nil
		}
		n.startOver()
	}
	n.over, n.result = keptResult{}, nil
}
