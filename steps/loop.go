package steps

import (
	"context"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Run holds the conversation to its end: it asks the model, answers every call
// and asks again, until the model is done and its result is good, or a stop
// says so. Whatever goes wrong is told by the result. When ctx ends its cause
// decides: an [Error] of the kind timeout or budget, or a deadline, stops the
// step; anything else cancels it.
func (a *Agent) Run(ctx context.Context) Result {
	d := a.open()
	e := d.work(ctx)
	if e.lastTurn {
		e = d.wrapUp(ctx, e.reason)
	}
	return d.result(*e)
}

// work asks and answers within the time that the step's stop allows.
func (d *dialogue) work(ctx context.Context) *ending {
	ctx, cancel := d.agent.Stop.within(ctx)
	defer cancel()
	for {
		if e := d.advance(ctx); e != nil {
			return e
		}
	}
}

// A dialogue is an agent at work: its conversation, and what does not change
// while it lasts.
type dialogue struct {
	agent *Agent
	form  form
	set   *tools.Set
	specs []providers.ToolSpec // what the model is shown of set
	c     conversation
	bound bound // of the last request: what cut its answer short, if it was cut
	observer
}

// open begins the conversation with the prompt.
func (a *Agent) open() *dialogue {
	d := &dialogue{agent: a, set: a.Tools, observer: observer{event: a.Hooks.Observe, record: a.Hooks.Record}}
	d.offer()
	if a.System != "" {
		system := providers.UserText(a.System)
		system.Role = "system"
		d.keep(system)
	}
	d.say(providers.UserText(a.Prompt))
	return d
}

// offer settles what the model is shown of the tools, and in which form it gives
// its result.
func (d *dialogue) offer() {
	if d.set == nil {
		d.set = new(tools.Set)
	}
	names := map[string]bool{}
	for _, spec := range d.set.Specs() {
		names[spec.Name] = true
		d.specs = append(d.specs, providers.ToolSpec{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters})
	}
	d.specs = slices.Clip(d.specs)
	d.form = newForm(d.agent.Output, d.agent.Model.Info().Obeys(len(names) > 0), names)
}

// advance takes one turn, and says how the step ended. It returns nil when the
// model is to be asked again.
func (d *dialogue) advance(ctx context.Context) *ending {
	t, err := d.turn(ctx)
	if err != nil {
		return d.broken(ctx, err)
	}
	if t.denied != nil && d.agent.FailOnDenied {
		return d.refuse(*t.denied)
	}
	met, err := d.agent.Stop.met(&d.c, t)
	if err != nil {
		return d.broken(ctx, err)
	}
	return d.follow(ctx, t, d.agent.Stop.next(&d.c, t, met))
}

// follow does what was decided. Nil is to go on.
func (d *dialogue) follow(ctx context.Context, t turn, next decision) *ending {
	switch next.then {
	case judge:
		return d.judge(ctx, t, next.reason)
	case wrapUp:
		return atLimit(next.reason)
	case end:
		return d.unfinished(t.answer, next.reason)
	}
	return nil
}

// turn asks the model once and answers its calls. The error is ctx's when that
// ended while the calls ran.
func (d *dialogue) turn(ctx context.Context) (turn, error) {
	req, answer, err := d.askWithin(ctx, d.request)
	if err != nil {
		return turn{}, err
	}
	d.c.Turns++
	d.doubtPrompt(req, answer)
	if len(answer.Calls()) == 0 || disowned(answer) {
		return turn{answer: answer, bound: d.bound}, nil
	}
	t, err := d.answerCalls(ctx, answer)
	if err == nil {
		err = ctx.Err()
	}
	return t, err
}

// disowned reports whether the service itself says that the answer is no good.
// Its calls are not run.
func disowned(answer providers.Message) bool {
	return answer.Finish == providers.FinishContentFilter || answer.Finish == providers.FinishError
}

// say adds a message to the conversation.
func (d *dialogue) say(m providers.Message) {
	d.c.Messages = append(d.c.Messages, m)
	d.keep(m)
}
