package steps

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/panics"

	"github.com/a-seed-11b9befa/flow/providers"
)

// request returns the next request to the model. It shares the conversation's messages,
// which never change, and are clipped so that nobody can append to them.
func (d *dialogue) request() providers.Request {
	req := providers.Request{
		System:   d.agent.System,
		Messages: slices.Clip(d.c.Messages),
		Tools:    d.specs,
		Params:   d.agent.Params,

		Step:         d.agent.Step,
		Conversation: d.agent.Conversation,
		Taken:        d.replay.requests,
		Prompt:       d.agent.Prompt,
	}
	d.form.shape(&req)
	if d.c.Force {
		req.Force = d.form.tool
	}
	return req
}

// closingRequest returns a request with which the model can only give its result.
func (d *dialogue) closingRequest() providers.Request {
	req := d.request()
	d.form.close(&req)
	return req
}

// send makes one request, or returns the answer of the replay. An answer that broke off is
// recorded and paid for, but is not part of the conversation.
func (d *dialogue) send(ctx context.Context, req providers.Request) (providers.Message, error) {
	for {
		if d.timeUp() {
			return providers.Message{}, context.Cause(ctx)
		}
		said, err := d.heard()
		switch {
		case err != nil:
			return providers.Message{}, err
		case said == nil:
			return d.sendAnew(ctx, req)
		case !said.Cut:
			return d.hearAgain(said)
		}
		d.countAgain(said)
	}
}

// sendAnew makes a request that was not answered before.
func (d *dialogue) sendAnew(ctx context.Context, req providers.Request) (providers.Message, error) {
	number := d.c.Turns + 1
	settle, most, err := d.reserve(ctx, &req)
	if err != nil {
		return providers.Message{}, err
	}
	d.bound = most
	d.observe(Event{Type: TurnStarted, Turn: number})
	var used []Spent
	retries := 0
	answer, err := d.stream(ctx, req, func(e providers.Event) {
		if e.Type == providers.BlockDelta && d.agent.Hooks.Whole {
			return
		}
		event := relayed(number, e)
		if e.Type == providers.Retried {
			retries++
		}
		if e.Broken != nil && e.Broken.Usage != (providers.Usage{}) {
			event.Cost = d.pay(e.Broken, &used, false)
			event.Model, event.Usage = e.Broken.Model, &e.Broken.Usage
		}
		d.observe(event)
	})
	answer.Role = providers.RoleAssistant
	if err == nil {
		answer.Model = cmp.Or(answer.Model, d.agent.Model.Info().Ref)
		err = sound(answer)
	}
	cost := d.pay(&answer, &used, err == nil)
	saved := d.save(answer)
	d.noteAnswer(&Answer{Turn: number, Message: answer, Used: used, Bound: most.reason, Retries: retries, Saved: answer.Saved, Cut: ctx.Err() != nil && err != nil, Last: d.last}, err)
	settle(used)
	if err != nil {
		d.brokenOff(answer)
		return answer, err
	}
	d.observe(Event{
		Type: TurnFinished, Turn: number, Model: answer.Model,
		Finish: string(answer.Finish), Usage: &answer.Usage, Cost: cost,
		Cached: answer.Saved != nil, Saved: saved,
	})
	d.hear(answer)
	return answer, nil
}

// stream has the model answer. A model may be one of the program's own: if it panics, it has
// failed.
func (d *dialogue) stream(ctx context.Context, req providers.Request, yield func(providers.Event)) (answer providers.Message, err error) {
	crash := panics.Try(func() { answer, err = d.agent.Model.Stream(ctx, req, yield) })
	if crash != nil {
		ref := d.agent.Model.Info().Ref
		return answer, &Error{Kind: KindInternal, Message: fmt.Sprintf("the model %s crashed: %v", ref, crash.Value), Err: crash.AsError()}
	}
	return answer, d.named(ctx, err)
}

// named returns an error of a model as one with a kind and the model's name, which one of the
// program's own may lack. It may have a timeout of its own: only what ctx ended is cancelled.
func (d *dialogue) named(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || OwnKind(err) != "" {
		return err
	}
	kind := providers.KindOf(err)
	if kind == providers.KindCancelled {
		kind = providers.KindNetwork
	}
	return &providers.Error{Kind: kind, Model: d.agent.Model.Info().Ref, Err: err}
}

// hear adds the model's answer to the conversation, unless it is empty: services refuse a
// conversation with an empty message.
func (d *dialogue) hear(answer providers.Message) {
	if answer.Text() != "" {
		d.c.Broken = ""
	}
	if len(answer.Blocks) > 0 {
		d.say(answer)
	}
}

// brokenOff keeps the part of an answer that has come as the last text.
func (d *dialogue) brokenOff(answer providers.Message) {
	if len(answer.Blocks) > 0 {
		d.c.Broken = answer.Text()
	}
}

// noteAnswer notes how a request ended. A replay repeats a request that failed and used
// nothing, unless what comes next depends on how it failed.
func (d *dialogue) noteAnswer(s *Answer, err error) {
	if err != nil {
		if len(s.Used) == 0 && (s.Cut || KindOf(err) != KindContextLength) {
			return
		}
		s.Error = &Failure{providers.KindOf(err), err.Error()}
		s.Message.Blocks = recordable(s.Message.Blocks)
	}
	d.note(Fact{Answer: s})
}
