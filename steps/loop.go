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
		return Result{}.fail(ReasonError, errPast)
	}
	d := a.open(p)
	r := d.work(ctx)
	if r.Status == "" {
		r = d.wrapUp(ctx, r)
	}
	return d.total(*r)
}

// dialogue is a running agent.
type dialogue struct {
	agent *Agent
	form  form
	set   *tools.Set
	specs []providers.ToolSpec // of set
	names map[string]bool      // of the tools
	c     conversation
	bound *Grant // limited the answer to the last request; nil: none did
	last  bool   // the model is asked for the last time, at a limit
	observer

	replay replay
	info   providers.Info // of the model; until the agent is live, of the one that began the conversation

	worked  time.Duration           // how much of the step's own timeout is over
	timeout *time.Timer             // the rest of it; nil until the agent is live
	unclose func() bool             // lets the work go on when Closing is done; nil until the agent is live
	cancel  context.CancelCauseFunc // ends the work; nil when it has ended
}

// open begins the conversation with the prompt.
func (a *Agent) open(p Past) *dialogue {
	d := &dialogue{agent: a, set: a.Tools, replay: newReplay(p.Facts), worked: p.Worked}
	d.observer = observer{event: a.Hooks.Observe, quiet: true}
	d.c.Used = Used{Usage: &providers.Usage{}, CostUSD: new(float64)}
	d.initModel()
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

// work takes turns until the step ends, within the step's own timeout.
func (d *dialogue) work(outer context.Context) *Result {
	ctx, cancel := context.WithCancelCause(outer)
	d.cancel = cancel
	defer func() {
		if d.timeout != nil {
			d.timeout.Stop()
		}
		if d.unclose != nil {
			d.unclose()
		}
		d.cancel = nil
		cancel(nil)
	}()
	for {
		if r := d.turn(ctx); r != nil && !d.continued(ctx, r) {
			return r
		}
	}
}

// goLive ends the replay. From now on a model may be asked that is not the one of before, and
// time passes.
func (d *dialogue) goLive() {
	if d.replay.live {
		return
	}
	d.replay.live = true
	d.quiet = false
	if stop, cancel := d.agent.Stop, d.cancel; stop.Timeout > 0 && cancel != nil { // the last turn has no limit
		d.timeout = time.AfterFunc(max(stop.Timeout-d.worked, 1), func() { cancel(stop.timeIsUp()) })
	}
	if closing, cancel := d.agent.Closing, d.cancel; closing != nil && cancel != nil {
		d.unclose = context.AfterFunc(closing, func() { cancel(context.Cause(closing)) })
	}
	d.info = d.agent.Model.Info()
	if d.form.native && !d.info.Obeys(len(d.specs) > 0) {
		d.form = d.form.byTool(d.names)
	}
}

// turn asks the model, answers its calls and decides what comes next. It returns how the step
// ended, or nil if it goes on.
func (d *dialogue) turn(ctx context.Context) *Result {
	answer, err := d.ask(ctx)
	if err != nil {
		return d.broken(ctx, err)
	}
	t, err := d.answerCalls(ctx, answer)
	switch {
	case t.waits:
		return &Result{Status: Waiting, Pending: t.pending}
	case err != nil:
		return d.broken(ctx, err)
	case t.denied != nil && d.agent.FailOnDenied:
		return d.refuse(t.denied)
	}
	holds, err := d.whenHolds(t)
	if err != nil {
		return d.broken(ctx, err)
	}
	switch next := d.agent.Stop.next(&d.c, t, holds); next.then {
	case judge:
		return d.judge(ctx, t, next.reason)
	case wrapUp:
		return atLimit(next.reason)
	case end:
		return d.cutOff(ctx, t, next.reason)
	}
	return nil
}

// say adds a message to the conversation.
func (d *dialogue) say(m providers.Message) { d.c.Messages = append(d.c.Messages, m) }
