package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/sourcegraph/conc/panics"
)

// How a unit comes to wait for a person, and how it is answered in this process. A unit
// that waits has no slot and is not due, but for a call about which somebody is asked at once. An
// answer is a record like any other, whoever gives it, and makes the unit due again.

// answered returns the result of a question; it is Waiting if nobody has answered yet.
func (u *unit) answered() steps.Result {
	reply, at := u.reply, u.soFar().Replied
	if reply == nil && at == 0 {
		return steps.Result{Status: steps.Waiting}
	}
	secret := reply == nil || reply.By == journal.ByTime // the answer is from the journal, in which a secret is hidden
	if reply == nil {
		reply = &journal.Reply{}
		data, err := u.store.dataAt(at)
		if err == nil {
			err = jsonline.Decode(data, reply)
		}
		if err != nil {
			return failed(err)
		}
	}
	switch {
	case reply.By == journal.ByTime && reply.Value == nil:
		return steps.Interrupted(&steps.Error{
			Kind: steps.KindTimeout, Message: fmt.Sprintf("no answer within %v", u.step.Timeout),
			Hint: "raise the timeout of the step, or give it a default",
		})
	case secret && journal.Hidden(reply.Value):
		return failed(&steps.Error{Kind: steps.KindInvalidInput, Message: "its answer contained a secret, so its value is not stored in the run folder", Option: OptionFrom})
	}
	var value any
	if err := jsonline.Decode(reply.Value, &value); err != nil {
		return failed(err)
	}
	r := steps.Result{Status: steps.Succeeded, StopReason: steps.ReasonCompleted, Output: value, Text: Text(value)}
	if u.step.Question.Comment {
		r.Comment = &reply.Comment
	}
	return r
}

// await records what an attempt waits for, and asks a person if one is there. It returns nil once
// there is an answer; else the result of the unit, which waits or has ended.
func (u *unit) await(r *StepResult) *StepResult {
	asked := u.recordWaits(r)
	if u.question == nil || u.exec.Question == nil { // else it waits for calls, or inside of one
		return r
	}
	return u.askPerson(asked, r)
}

// recordWaits records what an attempt waits for.
func (u *unit) recordWaits(r *StepResult) (asked history.Waits) {
	record := func(r journal.Record, data any, event steps.Event) {
		r.Kind, r.Unit, r.Label, event.Type = journal.Asked, u.unit, cmp.Or(u.label, u.labelAround), Asked
		asked.Take(u.recordFact(r, data, Event{Unit: u.unit, Event: event}))
	}
	if q := u.question; q != nil {
		r := journal.Record{}
		if limit := u.step.Timeout; limit > 0 {
			r.Until = time.Now().UTC().Add(limit)
		}
		question := *q
		question.Schema, question.Recipe = u.step.Output.Schema, u.in.recipe()
		record(r, question, steps.Event{Message: q.Text})
	}
	named := map[string]bool{}
	for _, p := range r.Pending {
		call := p.ID
		for n := 2; named[call]; n++ { // a service may give two calls the same id
			call = fmt.Sprintf("%s-%d", p.ID, n)
		}
		named[call] = true
		record(journal.Record{Call: call}, pendingCall{p, u.in.recipe()}, steps.Event{Turn: p.Turn, CallID: call, Tool: p.Tool, Input: p.Arguments, Rule: p.Rule})
	}
	return asked
}

// A pendingCall is the data of Asked about a call.
type pendingCall struct {
	steps.Pending
	Recipe string `json:"recipe,omitempty"` // the recipe of the step that makes it
}

// askPerson asks the person who is there everything that an attempt waits for. A question without
// an answer that fits keeps waiting.
func (u *unit) askPerson(asked history.Waits, r *StepResult) *StepResult {
	ctx, cancel := endingWith(u.forQuestions, u.interrupted)
	defer cancel()
	waits, err := ReadWaits(u.journal.Reader, asked, nil)
	if err != nil {
		u.lost("journal", err)
		return r
	}
	open := len(waits)
	for i := range waits {
		w := &waits[i]
		switch err := u.ask(ctx, w); {
		case ctx.Err() != nil:
		case err == nil:
			u.reply = w.reply
			u.recordFact(w.answered(), w.reply)
			open--
		case !w.IsCall() && !errors.Is(err, ErrUnanswered):
			u.home.warn(fmt.Sprintf("its question is still open: %v", err))
		}
	}
	switch {
	case u.forQuestions.Err() != nil:
		u.place.rested()
		return u.finish(u.resultOf(steps.Interrupted(context.Cause(u.forQuestions))))
	case open > 0:
		return r
	}
	u.continues = true
	u.place.rested()
	return nil
}

// stillWaits returns the result of a unit that an earlier process left waiting; nil if it does not
// wait any more. Questions of steps are not asked again if the options came with answers.
func (u *unit) stillWaits() *StepResult {
	open := u.waitsOf(u.unit.WithAttempt(u.number))
	if len(open) == 0 {
		return nil
	}
	u.barrier.pass()
	r := u.resultOf(steps.Result{Status: steps.Waiting})
	isCall := u.step.Question == nil
	if isCall && u.AskAgain == nil || !isCall && (u.Question == nil || len(u.Resume.Answers) > 0) {
		return r
	}
	if !isCall {
		u.start()
	}
	u.releaseSlot()
	if err := u.place.begin(u.base, u.releaseSlot); err != nil {
		return r
	}
	u.place.end(true)
	return u.askPerson(open, r)
}

// ErrUnanswered is the error of [Options].Question if there is no answer now: nobody is there to
// be asked, or nobody answers. The question keeps waiting, and no warning says so.
var ErrUnanswered = errors.New("no answer yet")

// ask asks the person who is there, as long as there is time for an answer, and sets the reply.
func (u *unit) ask(around context.Context, w *Wait) (err error) {
	ctx, cancel := around, func() {}
	if w.Until != nil {
		ctx, cancel = context.WithDeadline(ctx, *w.Until)
	}
	defer cancel()
	shown := *w
	shown.Question, shown.Arguments = u.Mask.String(w.Question), u.Mask.JSON(w.Arguments)
	crash := panics.Try(func() {
		switch {
		case !w.IsCall() && u.Question != nil:
			w.reply, err = u.askQuestion(ctx, &Question{Wait: shown, Workflow: u.top.Name, step: u.step})
		case w.IsCall() && u.AskAgain != nil:
			w.reply, err = u.askAgain(ctx, &shown)
		default:
			err = ErrUnanswered
		}
	})
	switch {
	case crash != nil:
		return fmt.Errorf("asking it crashed: %v", crash.Value)
	case err != nil && around.Err() == nil && ctx.Err() != nil:
		w.reply = &journal.Reply{Value: w.Default, By: journal.ByTime}
		return nil
	}
	return err
}

func (u *unit) askQuestion(ctx context.Context, q *Question) (*journal.Reply, error) {
	value, err := u.Question(ctx, q)
	if err == nil {
		err = u.unquoted(q.Check(value), value)
	}
	if err != nil {
		return nil, err
	}
	data, err := jsonline.Encode(value)
	return &journal.Reply{Value: data, Comment: u.Mask.String(q.comment)}, err
}

func (u *unit) askAgain(ctx context.Context, w *Wait) (*journal.Reply, error) {
	by := Caller{w.Unit, w.Recipe}
	decision, err := u.AskAgain(WithCaller(ctx, by), w.Tool, w.Arguments, tools.Decision{Verdict: tools.Ask, Rule: w.Rule})
	return &journal.Reply{Allowed: decision.Verdict == tools.Allow, Reason: u.Mask.String(decision.Reason)}, err
}

// recordReplies records the answers with which the run is resumed, and that the time of others is up,
// before anything begins.
func (e *exec) recordReplies(waits []Wait) error {
	e.replies = map[journal.Address]*journal.Reply{}
	for i := range waits {
		w := &waits[i]
		if w.reply == nil {
			continue
		}
		answer := w.answered()
		var err error
		if answer.Data, err = jsonline.Encode(w.reply); err != nil {
			return err
		}
		if err := e.record(&answer); err != nil {
			return err
		}
		if e.replies[w.attempt] = w.reply; w.reply.By != journal.ByTime {
			e.given++
		}
	}
	return nil
}

// approval returns what a person has decided about a call; nil if the record only says
// that the call waits.
func approval(asked map[string]steps.Pending, r journal.Record, data []byte) (*steps.Approval, error) {
	var reply journal.Reply
	var pending steps.Pending
	into := any(&reply)
	if r.Kind == journal.Asked {
		into = &pending
	}
	if err := json.Unmarshal(data, into); err != nil {
		return nil, fmt.Errorf("record %d: %w", r.Seq, err)
	}
	if r.Kind == journal.Asked {
		asked[r.Call] = pending
		return nil, nil
	}
	pending = asked[r.Call]
	return &steps.Approval{Turn: pending.Turn, Place: pending.Place, Allowed: reply.Allowed, Reason: reply.Reason}, nil
}

// approval returns what a person has decided about the call of a tool step; nil if nobody was asked.
func (j Job) approval() *steps.Approval {
	if len(j.Past.Facts) == 0 {
		return nil
	}
	return j.Past.Facts[len(j.Past.Facts)-1].Approval
}
