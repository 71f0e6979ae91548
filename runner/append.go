package runner

import (
	"bytes"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
)

// An appending is a fact on its way into the journal.
type appending struct {
	node   *node // nil: of the run
	fact   journal.Record
	line   journal.Line // the fact, once it is prepared
	failed error        // why the fact could not be written
	what   string       // is lost then, in the words of an error

	// They are called while e.mu is held; nil is none.
	stands        func() bool // whether the fact is still to be written
	before, after func()      // do something along with it
}

// append writes a fact, before anything that depends on it begins, lets the plan take it,
// and folds it. data is its data; nil is none. If task is not nil and no longer due, nothing
// happens and append returns false. A run that can't write only goes on to end: by the time
// append returns, everything that works in it is cancelled.
func (e *engine) append(n *node, task *plan.Task, fact journal.Record, data any) (stood bool) {
	return e.appendIf(n, e.isDue(task), fact, data, nil)
}

// isDue returns a condition for appendIf: that a task is due, or none was given.
func (e *engine) isDue(task *plan.Task) func() bool {
	return func() bool { return task == nil || e.plan.Stands(*task) }
}

// isOpen is a condition for appendIf: that the run has not ended.
func (e *engine) isOpen() bool { return e.result == nil }

// appendIf is append with another condition, and with something else to be done along with it.
func (e *engine) appendIf(n *node, stands func() bool, fact journal.Record, data any, also func()) (stood bool) {
	p := &appending{node: n, fact: fact, what: "journal", stands: stands, after: also}
	p.encode(data)
	e.prepare(p)
	return e.appendPrepared(p)
}

// encode sets the data of the fact, and returns it; nil is none.
func (p *appending) encode(data any) (encoded []byte) {
	if data == nil {
		return nil
	}
	if encoded, p.failed = jsonline.Encode(data); p.failed == nil {
		p.fact.Data = encoded
	}
	return encoded
}

// prepare does what takes time and needs no lock.
func (e *engine) prepare(p *appending) {
	if p.failed == nil {
		p.line, p.failed = e.journal.Prepare(&p.fact)
	}
}

// appendPrepared is append for what is prepared, or failed to be.
func (e *engine) appendPrepared(p *appending) (stood bool) {
	e.mu.Lock()
	if stood = p.stands == nil || p.stands(); stood {
		e.enter(p)
	}
	e.mu.Unlock()
	if stood && p.failed != nil {
		e.lost(p.what, p.failed)
	}
	return stood
}

// enter writes a fact, unless preparing it failed, lets the plan take it, and folds it. After
// a record that could not be written none is written, so that a plan can take the journal.
// e.mu is held.
func (e *engine) enter(p *appending) {
	if p.before != nil {
		p.before()
	}
	fact := &p.fact
	e.write(p)
	e.seq++
	if fact.Seq = e.seq; p.failed != nil {
		fact.At = 0
		if fact.Time.IsZero() {
			fact.Time = time.Now().UTC()
		}
	}
	if err := e.plan.Take(*fact); err != nil && e.broken == nil {
		e.broken = err
	} else if err == nil && p.node != nil {
		e.fold(p.node, fact)
	}
	if p.after != nil {
		p.after()
	}
}

// write writes a fact, unless that can't be done. e.mu is held.
func (e *engine) write(p *appending) {
	if e.unwritten != nil {
		p.failed = e.unwritten
	} else if p.failed == nil && e.passFact != nil {
		p.failed = e.passFact(&p.fact)
	}
	if p.failed == nil {
		p.failed = e.journal.Write(p.line)
	}
	e.unwritten = p.failed
}

// stop records that a unit has to end. With always, steps with always() still have time.
func (e *engine) stop(n *node, cause error, always bool) {
	p := &appending{node: n}
	p.fact = journal.Record{Kind: journal.Decided, About: journal.Stop, Unit: n.unit, Holds: always, Reason: string(steps.CauseError(cause).Kind)}
	e.prepare(p)
	e.mu.Lock()
	defer e.mu.Unlock()
	if n.over.is() || n != e.root && !e.plan.MayStop(n.unit) || e.result != nil {
		return
	}
	if n.cause == nil || n == e.root {
		n.cause = cause
	}
	e.enter(p) // if it can't be written, the run ends anyway
}

// end records the result of a unit, and emits its event. task is that of append.
func (e *engine) end(a *activity, task *plan.Task, r *StepResult) (stood bool) {
	n, t := a.node, a.site
	if r.Error != nil && r.inner == nil && r.elements == nil {
		r.fatal = fatal(r.Error)
	}
	event := Event{
		Status: r.Status, Reason: r.StopReason, Continued: r.Continued(), Failure: r.Error, Turns: r.Turns, Calls: r.ToolCalls, Label: r.label,
		Tolerated: r.Continued() || !r.fatal && !r.good() && r.Status != steps.Cancelled && n.isTolerated(),
		Counts:    r.Counts, Came: new(r.Numbers()), Event: steps.Event{Type: StepFinished},
	}
	if !n.began.IsZero() {
		event.Elapsed = e.took() - n.after
		r.Started, r.Duration = new(n.began.UTC()), new(event.Elapsed.Milliseconds())
	}
	r.shelve(e.folder)
	e.dry.ends(n, r)
	fact := journal.Record{
		Kind: journal.Ended, Unit: n.unit, Status: journal.Status(r.Status), Reason: kindOf(r.Error), Forgiven: r.forgive, Fatal: r.fatal,
	}
	if !e.appendEnd(n, task, fact, r, &untold{t, event}) {
		return false
	}
	e.tellAll()
	return true
}

// appendEnd is append for the end of a unit. If the journal does not have the result exactly,
// because a secret in it is hidden there, the result is held in memory. told is the event to
// emit; nil is none.
func (e *engine) appendEnd(n *node, task *plan.Task, fact journal.Record, r *StepResult, told *untold) (stood bool) {
	p := &appending{node: n, fact: fact, what: fmt.Sprintf("result of step %q", n.unit.Path()), stands: e.isDue(task)}
	encoded := p.encode(r.journaled())
	same := p.failed == nil && n.site.index != nil && e.isExact(encoded)
	e.prepare(p)
	p.before = func() { n.result, n.exact = r, same }
	p.after = func() { e.atEnd(n, r, told) }
	if stood = e.appendPrepared(p); stood && !n.isElement() {
		n.site.reading.end()
	}
	return stood
}

// isExact reports whether the journal has data as it is.
func (e *engine) isExact(encoded []byte) bool {
	return !bytes.Contains(encoded, []byte(badUTF8)) && bytes.Equal(encoded, e.Mask.JSON(encoded))
}

// atEnd does what else the end of a unit brings with it. e.mu is held.
func (e *engine) atEnd(n *node, r *StepResult, told *untold) {
	if inside := n.parent.inside; inside != nil && !n.isElement() {
		inside.known.add(r)
	}
	if n.timer != nil {
		n.timer.Stop()
	}
	if told != nil {
		e.untold = append(e.untold, *told)
	}
}

// badUTF8 is what JSON has in place of invalid UTF-8.
const badUTF8 = `\ufffd`

// An untold event is one that is not emitted yet.
type untold struct {
	site  *site
	event Event
}

// tell emits an event, after those of the records before it.
func (e *engine) tell(t *site, event Event) {
	e.mu.Lock()
	e.untold = append(e.untold, untold{t, event})
	e.mu.Unlock()
	e.tellAll()
}

// tellAll emits all events that are not emitted yet.
func (e *engine) tellAll() {
	e.telling.Lock()
	defer e.telling.Unlock()
	e.tellNotes()
	for {
		e.mu.Lock()
		all := e.untold
		e.untold = nil
		e.mu.Unlock()
		if len(all) == 0 {
			return
		}
		for i := range all {
			all[i].site.tell(&all[i].event)
		}
	}
}
