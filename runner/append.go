package runner

import (
	"bytes"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
)

// append writes a fact, before anything that depends on it begins, lets the plan take it,
// and folds it. data is its data; nil is none. If task is not nil and no longer due, nothing
// happens and append returns false. A run that can't write only goes on to end: by the time
// append returns, everything that works in it is cancelled.
func (e *engine) append(n *node, task *plan.Task, fact record.Record, data any) (stood bool) {
	return e.appendIf(n, e.isDue(task), fact, data, nil)
}

// isDue returns a condition for appendIf: that a task is due, or none was given.
func (e *engine) isDue(task *plan.Task) func() bool {
	return func() bool { return task == nil || e.plan.Stands(*task) }
}

// appendIf is append with another condition, and with something else to be done along with it.
// Both functions are called while e.mu is held.
func (e *engine) appendIf(n *node, stands func() bool, fact record.Record, data any, also func()) (stood bool) {
	line, err := e.prepare(&fact, data)
	return e.appendLine(n, stands, &fact, line, err, also)
}

// appendLine is appendIf for a line that is prepared, or failed to be.
func (e *engine) appendLine(n *node, stands func() bool, fact *record.Record, line journal.Line, failed error, also func()) (stood bool) {
	e.mu.Lock()
	if stood = stands(); stood {
		failed = e.enter(n, fact, line, failed)
		if also != nil {
			also()
		}
	}
	e.mu.Unlock()
	if stood && failed != nil {
		e.lost("journal", failed)
	}
	return stood
}

// prepare encodes a record, which takes time and needs no lock.
func (e *engine) prepare(fact *record.Record, data any) (line journal.Line, err error) {
	if data != nil {
		encoded, err := jsonline.Encode(data)
		if err != nil {
			return line, err
		}
		fact.Data = record.Inline(encoded)
	}
	return e.journal.Prepare(fact)
}

// enter writes a fact, unless preparing it failed, lets the plan take it, and folds it. After
// a record that could not be written none is written, so that a plan can take the journal.
// e.mu is held.
func (e *engine) enter(n *node, fact *record.Record, line journal.Line, failed error) error {
	if e.unwritten != nil {
		failed = e.unwritten
	} else if failed == nil && e.passFact != nil {
		failed = e.passFact(fact)
	}
	if failed == nil {
		failed = e.journal.Write(line)
	}
	e.unwritten = failed
	e.seq++
	if fact.Seq = e.seq; failed != nil {
		fact.At = 0
		if fact.Time.IsZero() {
			fact.Time = time.Now().UTC()
		}
	}
	if err := e.plan.Take(*fact); err != nil && e.broken == nil {
		e.broken = err
	} else if err == nil && n != nil {
		e.fold(n, fact)
	}
	return failed
}

// stop records that a unit has to end. With always, steps with always() still have time.
func (e *engine) stop(n *node, cause error, always bool) {
	fact := record.Record{Kind: record.Decided, About: record.Stop, Unit: n.unit, Holds: always, Reason: string(steps.CauseError(cause).Kind)}
	line, err := e.prepare(&fact, nil)
	e.mu.Lock()
	defer e.mu.Unlock()
	if n.over.is() || n != e.root && !e.plan.MayStop(n.unit) || e.result != nil {
		return
	}
	if n.cause == nil || n == e.root {
		n.cause = cause
	}
	_ = e.enter(n, &fact, line, err) // the run ends anyway
}

// end records the result of a unit, and emits its event. task is that of append.
func (e *engine) end(a *activity, task *plan.Task, r *StepResult) (stood bool) {
	n, t := a.node, a.site
	if r.Error != nil && r.inner == nil && r.elements == nil {
		r.fatal = fatal(r.Error)
	}
	event := Event{Status: r.Status, Reason: r.StopReason, Failure: r.Error, Turns: r.Turns, Calls: r.ToolCalls, Label: r.label, Came: &StepResult{Kind: r.Kind, Counts: r.Counts, Result: steps.Result{Used: r.numbers()}}, Event: steps.Event{Type: StepFinished}}
	if !n.began.IsZero() {
		event.Elapsed = e.took() - n.after
		r.Started, r.Duration = new(n.began.UTC()), new(event.Elapsed.Milliseconds())
	}
	r.shelve(e.folder)
	fact := record.Record{
		Kind: record.Ended, Unit: n.unit, Status: record.Status(r.Status), Reason: kindOf(r.Error), Forgiven: r.forgive, Fatal: r.fatal,
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
func (e *engine) appendEnd(n *node, task *plan.Task, fact record.Record, r *StepResult, told *untold) bool {
	encoded, err := jsonline.Encode(r.journaled())
	var line journal.Line
	same := false
	if err == nil {
		same = n.site.index != nil && !bytes.Contains(encoded, []byte(badUTF8)) && bytes.Equal(encoded, e.Mask.JSON(encoded))
		fact.Data = record.Inline(encoded)
		line, err = e.journal.Prepare(&fact)
	}
	e.mu.Lock()
	if task != nil && !e.plan.Stands(*task) {
		e.mu.Unlock()
		return false
	}
	n.result, n.exact = r, same
	err = e.enter(n, &fact, line, err)
	if inside := n.parent.inside; inside != nil && !n.isElement() {
		inside.known.add(r)
	}
	if n.timer != nil {
		n.timer.Stop()
	}
	if told != nil {
		e.untold = append(e.untold, *told)
	}
	e.mu.Unlock()
	if err != nil {
		e.lost(fmt.Sprintf("result of step %q", n.unit.Path()), err)
	}
	if !n.isElement() {
		n.site.reading.end()
	}
	return true
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
