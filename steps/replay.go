package steps

import (
	"context"
	"errors"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// replay has the facts of a conversation that was cut off, which are used in place of asking
// again. When none are left the agent is live. The same code counts and decides in both
// cases. Only the goroutine of the conversation may change it.
type replay struct {
	facts    []pastFact // that are left, without those of calls
	calls    pastCalls  // of the last answer
	requests int        // how many requests were made
	live     bool
}

// pastFact is a fact, with what is known of the calls of an answer, and with what was asked and
// answered at a limit at which the step had ended: that is no part of a conversation which
// continues, but was paid for.
type pastFact struct {
	Fact
	calls   pastCalls
	closing []pastFact
}

// pastCalls has what is known of the calls of an answer, by their places.
type pastCalls map[int]*pastCall

type pastCall struct {
	started  *CallStarted
	ended    *CallEnded
	approval *Approval // the last one
}

func (p pastCalls) at(place int) *pastCall {
	if p[place] == nil {
		p[place] = &pastCall{}
	}
	return p[place]
}

// newReplay puts the facts of calls with the answer that made them: the answer at a limit
// makes none.
func newReplay(facts []Fact) (r replay) {
	r.calls = pastCalls{}
	calls := r.calls
	for _, f := range facts {
		switch {
		case f.CallStarted != nil:
			calls.at(f.CallStarted.Place).started = f.CallStarted
		case f.CallEnded != nil:
			calls.at(f.CallEnded.Place).ended = f.CallEnded
		case f.Approval != nil:
			calls.at(f.Approval.Place).approval = f.Approval
		case f.Ended:
			closing := slices.IndexFunc(r.facts, func(f pastFact) bool { return f.Answer != nil && f.Answer.Last })
			if closing < 0 {
				closing = len(r.facts)
			}
			r.facts = append(r.facts[:closing], pastFact{Fact: f, closing: slices.Clone(r.facts[closing:])})
		default:
			if f.Answer != nil && !f.Answer.Last {
				calls = pastCalls{}
			}
			r.facts = append(r.facts, pastFact{Fact: f, calls: calls})
		}
	}
	return r
}

// errPast is the error for facts from which a conversation can't continue.
var errPast = &Error{Kind: KindInternal, Message: "the recorded conversation is inconsistent"}

// next returns the next fact, which has to be a wanted one, or the error of a limit that was reached
// here. If no fact is left it returns nil, and the agent is live.
func (d *dialogue) next(wanted func(*Fact) bool) (*pastFact, error) {
	if err := d.endedHere(); err != nil {
		return nil, err
	}
	r := &d.replay
	if len(r.facts) == 0 {
		d.goLive()
		return nil, nil
	}
	f := &r.facts[0]
	if !wanted(&f.Fact) {
		return nil, errPast
	}
	r.facts = r.facts[1:]
	return f, nil
}

// endedHere returns [errStopTimeout] if the step's own timeout was over at this place, and the error of
// a budget that was used up here.
func (d *dialogue) endedHere() error {
	r := &d.replay
	for len(r.facts) > 0 && r.facts[0].Ended { // the step went on behind that
		d.countAgain(r.facts[0])
		r.facts = r.facts[1:]
		d.c.countAnew()
	}
	switch f := r.facts; {
	case len(f) > 0 && f[0].TimeUp:
		r.facts = f[1:]
		return errStopTimeout
	case len(f) > 0 && f[0].Budget != nil:
		r.facts = f[1:]
		return f[0].Budget
	}
	return nil
}

// continued reports whether the step, which has ended in the replay at a limit or a budget, had
// continued after that.
func (d *dialogue) continued(ctx context.Context, r *Result) bool {
	facts := d.replay.facts
	end := slices.IndexFunc(facts, func(f pastFact) bool { return f.Ended })
	if ctx.Err() != nil || end < 0 || r.Status != "" && r.Status != Stopped {
		return false
	}
	d.countAgain(facts[:end]...)
	d.replay.facts = facts[end:]
	if last := len(d.c.Messages) - 1; d.c.Messages[last].Role == providers.RoleAssistant { // it was cut off
		d.c.Messages = slices.Clip(d.c.Messages[:last])
	}
	return true
}

// note passes on a fact.
func (d *dialogue) note(f Fact) {
	if d.agent.Hooks.Remember != nil {
		d.agent.Hooks.Remember(f)
	}
}

// initModel sets what the conversation depends on of its model: until the agent is live, of the
// one that began the conversation.
func (d *dialogue) initModel() {
	d.info = d.agent.Model.Info()
	if len(d.replay.facts) == 0 {
		d.note(Fact{Model: &FirstModel{d.info.Ref, d.info.Context, d.info.StructuredOutput, d.info.StructuredAlone}})
		return
	}
	first := d.replay.facts[0].Model
	d.replay.facts = d.replay.facts[1:]
	d.info.Ref, d.info.Context = first.Model, first.Context
	d.info.StructuredOutput, d.info.StructuredAlone = first.Structured, first.StructuredAlone
}

// replayAnswer does with an answer what request did with it.
func (d *dialogue) replayAnswer(f *pastFact) (providers.Message, error) {
	d.countAgain(*f)
	a := f.Answer
	d.replay.calls = f.calls
	d.bound = nil
	if a.Bound != "" {
		d.bound = &Grant{}
	}
	a.Message.Saved = a.Saved
	if a.Error != nil {
		d.brokeOff(a.Message)
		return a.Message, &providers.Error{Kind: a.Error.Kind, Message: a.Error.Message}
	}
	d.add(a.Message)
	return a.Message, nil
}

// countAgain counts what the answers among facts have used.
func (d *dialogue) countAgain(facts ...pastFact) {
	for _, f := range facts {
		d.countAgain(f.closing...)
		if f.Answer == nil {
			continue
		}
		if !f.Answer.Last && !f.Answer.Cut {
			d.replay.requests += 1 + f.Answer.Retries
		}
		d.countAnswer(f.Answer)
	}
}

// recall sets the replayed answers of calls, and reports whether calls are left to run.
func (d *dialogue) recall(calls []*call) (left bool) {
	for _, c := range calls {
		past := d.replay.calls.at(c.place)
		if past.ended != nil {
			c.replay(past.ended)
		} else if !c.submits && c.prepared != nil {
			left = true
			continues := c.prepared.Continues()
			c.unknown = past.started != nil && past.started.Writes && !continues
			if past.approval != nil {
				c.prepared.Ask = past.approval.Ask
			} else if past.started != nil && continues { // it was allowed
				c.prepared.Ask = Approval{Allowed: true}.Ask
			}
		}
	}
	return left
}

// replay sets a replayed answer.
func (c *call) replay(a *CallEnded) {
	c.known = true
	c.answer = tools.Answer{
		Status: a.Status, Content: a.Content, Path: a.Whole, Truncated: a.Truncated, Lost: a.Lost,
		Decision: tools.Decision{Rule: a.Rule, Reason: a.Reason}, Spent: a.Spent,
	}
	if a.Error != "" {
		c.err = errors.New(a.Error)
	}
}

// once returns the replayed value of a question, or else calls answer, and notes the value.
func once[T any](d *dialogue, of func(*Fact) **T, answer func() (T, error)) (value T, err error) {
	f, err := d.next(func(f *Fact) bool { return *of(f) != nil })
	switch {
	case err != nil:
		return value, err
	case f != nil:
		return **of(&f.Fact), nil
	}
	if value, err = answer(); err == nil {
		var news Fact
		*of(&news) = &value
		d.note(news)
	}
	return value, err
}
