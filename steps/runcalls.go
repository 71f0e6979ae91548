package steps

import (
	"context"
	"sync/atomic"

	"github.com/a-seed-11b9befa/flow/tools"
)

// maxShown is how many bytes of an answer an event shows.
const maxShown = 1 << 10

// callOptions are how the calls of a turn are made.
type callOptions struct {
	turn         int
	failOnDenied bool
	note         func(Fact)               // may be nil
	hide         func(text string) string // masks answers that are not masked yet, in events; may be nil
}

// runCalls runs the calls of one turn, in parallel as far as their effects allow, and emits
// their events. Calls that are not prepared have their answers already.
func (o *observer) runCalls(ctx context.Context, calls []*call, how callOptions) {
	var live []*call
	for _, c := range calls {
		if c.submits || c.known {
			continue
		}
		o.observe(c.event(CallPending, how.turn))
		if c.prepared == nil {
			o.observe(c.finished(how.turn, how.hide))
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
	var over atomic.Bool // a denied call ends the step
	tools.RunAll(ctx, effects, 0, func(i int) {
		if o.runCall(ctx, live[i], how, &over); live[i].pending != nil {
			return
		}
		if how.note != nil {
			how.note(live[i].answerFact(how.turn))
		}
		o.observe(live[i].finished(how.turn, how.hide))
	})
}

// runCall decides about a call and runs it. It decides at the last moment, because the
// effects of earlier calls count.
func (o *observer) runCall(ctx context.Context, c *call, how callOptions, over *atomic.Bool) {
	if c.unknown {
		c.answer = refusal("Failed: flow was killed while it ran; whether it took effect is not known. Look before you repeat it.")
		return
	}
	if over.Load() {
		c.answer = refusal("Not run: another call was denied, which ends the task.")
		c.answer.Status = tools.Cancelled
		return
	}
	decision, err := c.prepared.Decide(ctx)
	switch {
	case decision.Verdict == tools.Ask:
		c.pending = &Pending{how.turn, c.index, c.block.ID, c.block.Name, c.input, decision.Rule}
		return
	case err != nil, decision.Verdict != tools.Allow && how.failOnDenied:
		over.Store(true)
	case decision.Verdict == tools.Allow && !c.prepared.Invalid() && ctx.Err() == nil:
		o.observe(c.event(CallRunning, how.turn))
		if how.note != nil {
			how.note(c.intent(how.turn, decision))
		}
	}
	c.answer, c.err = c.run(ctx)
}

func (c *call) event(kind EventType, turn int) Event {
	return Event{Type: kind, Turn: turn, CallID: c.block.ID, Tool: c.block.Name, Input: c.input}
}

func (c *call) finished(turn int, hide func(string) string) Event {
	e := c.event(CallFinished, turn)
	e.Status, e.Duration, e.Truncated = c.answer.Status, c.answer.Duration, c.answer.Truncated
	if e.Status != tools.Succeeded {
		e.Rule, e.Error = c.answer.Decision.Rule, ends(hidden(c.answer.Content, hide), maxShown)
	}
	return e
}
