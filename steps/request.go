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
	if d.c.Force || d.last { // the model can only give its result
		d.form.close(&req)
	}
	return req
}

// ask makes the next request, after it has made room in the model's window if necessary.
func (d *dialogue) ask(ctx context.Context) (providers.Message, error) {
	d.makeRoom()
	for {
		answer, err := d.answerTo(ctx)
		if err == nil || ctx.Err() != nil || !d.tooLong(err) {
			return answer, err
		}
	}
}

// answerTo returns the answer from the replay, or else makes the next request. One that was
// interrupted is made again.
func (d *dialogue) answerTo(ctx context.Context) (providers.Message, error) {
	for {
		f, err := d.next(func(f *Fact) bool { return f.Answer != nil })
		switch {
		case err != nil:
			return providers.Message{}, err
		case f == nil:
			return d.send(ctx, d.request()) // the model may be another than before
		case !f.Answer.Cut:
			return d.replayAnswer(f)
		}
		d.countAgain(*f)
	}
}

// send makes one request, and adds the answer to the conversation. An answer that broke off is
// noted and paid for, but is not part of the conversation.
func (d *dialogue) send(ctx context.Context, req providers.Request) (providers.Message, error) {
	settle, bound, err := d.reserve(ctx, &req)
	if err != nil {
		return providers.Message{}, err
	}
	d.bound = bound
	news := &Answer{Turn: d.c.Turns + 1, Last: d.last}
	if bound != nil {
		news.Bound = ReasonBudget
	}
	d.observe(Event{Type: TurnStarted, Turn: news.Turn})
	answer, err := d.stream(ctx, req, func(e providers.Event) { d.relay(e, news) })
	answer.Role = providers.RoleAssistant
	answer.Model = cmp.Or(answer.Model, d.agent.Model.Info().Ref)
	if err == nil {
		err = validate(answer)
	}
	cost := d.pay(answer, news, err == nil)
	news.Message, news.Saved, news.Cut = answer, answer.Saved, ctx.Err() != nil && err != nil
	d.noteAnswer(news, err)
	d.countAnswer(news)
	settle(news.Used)
	if err != nil {
		d.brokeOff(answer)
		return answer, err
	}
	event := Event{Type: TurnFinished, Turn: news.Turn, Model: answer.Model, Finish: string(answer.Finish), Usage: &answer.Usage, Cost: cost}
	if answer.Saved != nil {
		event.Cached, event.Saved = true, d.price(answer.Model, *answer.Saved)
	}
	d.observe(event)
	d.add(answer)
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

// relay passes on what a model tells of its answer. Retries, and what broke off before the
// answer, count in its news.
func (d *dialogue) relay(e providers.Event, news *Answer) {
	if e.Type == providers.BlockDelta && d.agent.Hooks.NoDeltas {
		return
	}
	event := relayed(news.Turn, e)
	if e.Type == providers.Retried {
		news.Retries++
	}
	if e.Broken != nil && e.Broken.Usage != (providers.Usage{}) {
		e.Broken.Model = cmp.Or(e.Broken.Model, d.agent.Model.Info().Ref)
		event.Cost = d.pay(*e.Broken, news, false)
		event.Model, event.Usage = e.Broken.Model, &e.Broken.Usage
	}
	d.observe(event)
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

// add adds the model's answer to the conversation, unless it is empty: services refuse a
// conversation with an empty message.
func (d *dialogue) add(answer providers.Message) {
	if answer.Text() != "" {
		d.c.Broken = ""
	}
	if len(answer.Blocks) > 0 {
		d.say(answer)
	}
}

// brokeOff keeps the part of an answer that has come as the last text.
func (d *dialogue) brokeOff(answer providers.Message) {
	if len(answer.Blocks) > 0 {
		d.c.Broken = answer.Text()
	}
}

// noteAnswer notes how a request ended. A replay repeats a request that failed and used
// nothing, unless what comes next depends on how it failed.
func (d *dialogue) noteAnswer(news *Answer, err error) {
	if err != nil {
		news.Error = &Failure{providers.KindOf(err), err.Error()}
		news.Message.Blocks = recordable(news.Message.Blocks)
		if len(news.Used) == 0 && (news.Cut || KindOf(err) != KindContextLength) {
			return
		}
	}
	d.note(Fact{Answer: news})
}
