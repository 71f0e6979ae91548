package steps

import (
	"context"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Run asks the model, answers its calls and asks again, until the model is done and its
// result is good, or a stop ends the step. The result says what went wrong. When ctx is
// done, its cause decides: an [Error] of the kind timeout or budget, or a deadline, stops
// the step; any other cause cancels it.
func (a *Agent) Run(ctx context.Context) Result { return a.From(ctx, Past{}) }

// From is Run for a conversation that was cut off, such as by the death of the process: it
// continues there. It repeats neither requests that were answered nor calls that had ended.
// It repeats a request or a call that was running, except a call that may have changed
// something: nobody knows whether it did, so it is answered as failed. Observe and Remember
// get only what is new.
func (a *Agent) From(ctx context.Context, p Past) Result {
	if a.Model == nil {
		return Result{}.fail(ReasonError, &Error{Kind: KindConfiguration, Message: "the step has no model"})
	}
	if len(p.Facts) > 0 && p.Facts[0].Model == nil {
		return Result{}.fail(ReasonError, &Error{Kind: KindInternal, Message: errPast.Error(), Err: errPast})
	}
	d := a.open(p)
	e := d.work(ctx, p.Worked)
	for d.goesOn(ctx, e) {
		e = d.work(ctx, 0)
	}
	if e.lastTurn {
		e = d.wrapUp(ctx, e.reason)
	}
	return d.result(*e)
}

// work advances the step until it ends, within the step's own timeout.
func (d *dialogue) work(ctx context.Context, worked time.Duration) *ending {
	ctx, cancel := d.within(ctx, worked)
	defer cancel()
	for {
		e := d.advance(ctx)
		if e == nil {
			continue
		}
		if d.replay.live && e.lastTurn && e.reason == ReasonTimeout {
			d.note(Fact{TimeUp: true})
		}
		return e
	}
}

// within applies the step's own timeout. A replay takes no time: what is left of the timeout
// starts when the agent is live.
func (d *dialogue) within(ctx context.Context, worked time.Duration) (context.Context, context.CancelFunc) {
	stop := d.agent.Stop
	switch {
	case stop.Timeout <= 0:
		return ctx, func() {}
	case d.replay.live:
		return context.WithTimeoutCause(ctx, stop.Timeout, stop.timeIsUp())
	}
	ctx, end := context.WithCancelCause(ctx)
	var clock *time.Timer
	d.endTime = func() { end(stop.timeIsUp()) }
	d.startTime = func() { clock = time.AfterFunc(max(stop.Timeout-worked, 1), d.endTime) }
	return ctx, func() {
		if clock != nil {
			clock.Stop()
		}
		end(nil)
	}
}

// dialogue is a running agent.
type dialogue struct {
	agent *Agent
	form  form
	set   *tools.Set
	specs []providers.ToolSpec // of set
	c     conversation
	bound bound // limited the answer to the last request
	last  bool  // the model is asked for the last time, at a limit
	observer

	replay             replay
	startTime, endTime func()          // start and end what is left of the step's own timeout
	info               providers.Info  // of the model; until the agent is live, of the one that began the conversation
	names              map[string]bool // of the tools
}

// open begins the conversation with the prompt.
func (a *Agent) open(p Past) *dialogue {
	d := &dialogue{agent: a, set: a.Tools, observer: observer{event: a.Hooks.Observe}, replay: newReplay(p)}
	d.quiet = d.replay.past
	d.startTime, d.endTime = func() {}, func() {}
	d.meet()
	d.offer()
	d.say(providers.UserText(a.Prompt))
	return d
}

// offer sets which tools the model is offered, and how it gives its result.
func (d *dialogue) offer() {
	if d.set == nil {
		d.set = new(tools.Set)
	}
	d.names = map[string]bool{}
	for _, spec := range d.set.Specs() {
		d.names[spec.Name] = true
		d.specs = append(d.specs, providers.ToolSpec{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters})
	}
	d.specs = slices.Clip(d.specs)
	d.form = newForm(d.agent.Output, d.info.Obeys(len(d.names) > 0), d.names)
	d.form.hide = d.agent.Tools.Hide
}

// advance takes one turn, and returns how the step ended, or nil if it goes on.
func (d *dialogue) advance(ctx context.Context) *ending {
	t, err := d.turn(ctx)
	if err != nil {
		return d.broken(ctx, err)
	}
	if t.pending != nil {
		return &ending{status: Waiting, pending: t.pending}
	}
	if t.denied != nil && d.agent.FailOnDenied {
		return d.refuse(*t.denied)
	}
	met, err := d.met(t)
	if err != nil {
		return d.broken(ctx, err)
	}
	return d.follow(ctx, t, d.agent.Stop.next(&d.c, t, met))
}

// follow carries out a decision. It returns nil if the step goes on.
func (d *dialogue) follow(ctx context.Context, t turn, next decision) *ending {
	switch next.then {
	case judge:
		return d.judge(ctx, t, next.reason)
	case wrapUp:
		return atLimit(next.reason)
	case end:
		e := d.unfinished(t.answer, next.reason)
		if next.reason == ReasonOutputLimit {
			return d.acceptCut(ctx, t, e)
		}
		return e
	}
	return nil
}

// turn asks the model once, and answers its calls. It returns the error of ctx if that was
// done while the calls ran.
func (d *dialogue) turn(ctx context.Context) (turn, error) {
	answer, err := d.sendWithin(ctx, d.request)
	if err != nil {
		return turn{}, err
	}
	d.c.Turns++
	if len(answer.Calls()) == 0 || disowned(answer) {
		return turn{answer: answer, bound: d.bound}, nil
	}
	d.c.Idle = 0
	t, err := d.answerCalls(ctx, answer)
	if t.pending != nil {
		return t, nil
	}
	d.timeUp()
	if err == nil {
		err = ctx.Err()
	}
	return t, err
}

// disowned reports whether the service itself rejects the answer, whose calls are then not
// run.
func disowned(answer providers.Message) bool {
	return answer.Finish == providers.FinishContentFilter || answer.Finish == providers.FinishError
}

// say adds a message to the conversation.
func (d *dialogue) say(m providers.Message) {
	d.c.Messages = append(d.c.Messages, m)
}
