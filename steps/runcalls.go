package steps

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/a-seed-11b9befa/flow/internal/trace"
	"github.com/a-seed-11b9befa/flow/tools"
)

// maxShown is how many bytes of an answer an event shows.
const maxShown = 1 << 10

// batch runs calls that are made together, and tells what becomes of them.
type batch struct {
	*observer
	turn         int
	failOnDenied bool
	note         func(Fact)
	hide         func(text string) string // masks answers that are not masked yet, in events; may be nil

	over atomic.Bool // a denied call ends the step
}

// run runs calls in parallel, as far as their effects allow. Calls that are not prepared have
// their answers already.
func (b *batch) run(ctx context.Context, calls []*call) {
	var live []*call
	for _, c := range calls {
		if c.submits || c.known {
			continue
		}
		b.observe(c.event(CallPending, b.turn))
		if c.prepared == nil {
			b.observe(b.finished(c))
			continue
		}
		live = append(live, c)
	}
	effects := make([]tools.Effects, len(live))
	if len(live) > 1 { // a single call can't conflict
		for i, c := range live {
			effects[i] = c.prepared.Effects()
		}
	}
	tools.RunAll(ctx, effects, 0, func(i int) {
		c := live[i]
		switch b.runCall(ctx, c); {
		case c.open && !c.answer.Open: // it is cancelled, and for those who watch it has ended
			b.observe(b.finished(c))
		case c.pending == nil && !c.open:
			b.end(c)
		}
	})
}

// runCall decides about a call and runs it. It decides at the last moment, because the
// effects of earlier calls count.
func (b *batch) runCall(ctx context.Context, c *call) {
	if c.unknown {
		c.answer = refusal("Failed: it was cut off while it ran; whether it took effect is not known. Look before you repeat it.")
		return
	}
	if b.over.Load() {
		c.answer = refusal("Not run: another call was denied, which ends the task.")
		c.answer.Status = tools.Cancelled
		return
	}
	decision, err := c.prepared.Decide(ctx)
	switch {
	case decision.Verdict == tools.Ask:
		c.pending = &Pending{b.turn, c.place, c.block.ID, c.block.Name, c.input, decision.Rule}
		return
	case err != nil, decision.Verdict != tools.Allow && b.failOnDenied:
		b.over.Store(true)
	case decision.Verdict == tools.Allow && !c.prepared.Invalid() && ctx.Err() == nil:
		b.observe(c.event(CallRunning, b.turn))
		b.note(Fact{CallStarted: &CallStarted{
			Turn: b.turn, Place: c.place, ID: c.block.ID, Tool: c.block.Name, Arguments: c.input,
			Writes: c.prepared.Writes(), Rule: decision.Rule,
		}})
	}
	c.answer, c.err = c.run(trace.InCall(ctx, c.block.ID))
	c.open = (c.answer.Open || c.answer.Status == tools.Cancelled) && !lastTurnFollows(ctx)
}

// lastTurnFollows reports whether the work of an agent has ended at a limit after which it has a last turn.
func lastTurnFollows(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return cause != nil && (errors.Is(cause, errStopTimeout) || CauseError(cause).Continues)
}

// end notes and tells the answer to a call.
func (b *batch) end(c *call) {
	ended := &CallEnded{
		Turn: b.turn, Place: c.place, ID: c.block.ID, Status: c.answer.Status, Content: c.answer.Content,
		Whole: c.answer.Path, Truncated: c.answer.Truncated, Lost: c.answer.Lost, Error: errorText(c.err), Spent: c.answer.Spent,
	}
	if c.answer.Status == tools.Denied {
		ended.Rule, ended.Reason = c.answer.Decision.Rule, c.answer.Decision.Reason
		ended.Tool, ended.Arguments = c.block.Name, c.input
	}
	b.note(Fact{CallEnded: ended})
	b.observe(b.finished(c))
}

func (c *call) event(kind EventType, turn int) Event {
	return Event{Type: kind, Turn: turn, CallID: c.block.ID, Tool: c.block.Name, Input: c.input}
}

func (b *batch) finished(c *call) Event {
	e := c.event(CallFinished, b.turn)
	e.Status, e.Duration, e.Truncated = c.answer.Status, c.answer.Duration, c.answer.Truncated
	if e.Status != tools.Succeeded {
		e.Rule, e.Error = c.answer.Decision.Rule, ends(hidden(c.answer.Content, b.hide), maxShown)
	}
	return e
}
