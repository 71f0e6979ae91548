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
// that waits has no slot and is not due. An answer is a record like any other, whoever
// gives it, and makes the unit due again.

func (t *site) renderQuestion(w *Work, names map[string]any) error {
	q := t.step.Question
	text, err := q.Text.Text(names)
	if err != nil {
		return mistake("ask", err)
	}
	w.Question = &journal.Question{Text: text, Choices: q.Choices}
	if q.Default == nil {
		return nil
	}
	value, err := q.Default.Eval(names)
	if err == nil {
		err = q.Check(value)
	}
	if err != nil {
		return mistake("default", t.run.unquoted(err, value))
	}
	w.Question.Default, err = jsonline.Encode(value)
	return err
}

// answered returns the result of a question; it is Waiting if nobody has answered yet.
func (t *site) answered() steps.Result {
	reply, at := t.act.reply, t.act.replied
	if reply == nil && at == 0 {
		return steps.Result{Status: steps.Waiting}
	}
	secret := reply == nil || reply.By == journal.ByTime // the answer is from the journal, in which a secret is hidden
	if reply == nil {
		reply = &journal.Reply{}
		data, err := t.run.dataAt(at)
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
			Kind: steps.KindTimeout, Message: fmt.Sprintf("no answer within %v", t.step.Timeout),
			Hint: "raise timeout: of the step, or give it a default",
		})
	case secret && journal.Hidden(reply.Value):
		return failed(&steps.Error{Kind: steps.KindInvalidInput, Message: "its answer contained a secret, so its value is not stored in the run folder", Option: OptionFrom})
	}
	var value any
	if err := jsonline.Decode(reply.Value, &value); err != nil {
		return failed(err)
	}
	return steps.Result{Status: steps.Succeeded, StopReason: steps.ReasonCompleted, Output: value, Text: Text(value)}
}

// wait records what an attempt waits for, and asks a person if one is there. It returns nil once
// there is an answer; else the result of the unit, which waits or has ended.
func (u *unit) wait(act *activity, r *StepResult) *StepResult {
	asked := u.recordWaits(act, r)
	if r.Pending != nil || u.Question == nil {
		return r
	}
	return u.askPerson(act, asked, r)
}

// recordWaits records what an attempt waits for.
func (u *unit) recordWaits(act *activity, r *StepResult) (asked []history.Wait) {
	t := u.site
	attempt := t.unit.WithAttempt(act.number)
	record := func(fact journal.Record, data any, event steps.Event) {
		fact.Kind, fact.Unit, fact.Label = journal.Asked, attempt, cmp.Or(t.label, u.label)
		p := act.record(fact, data, untold{t, Event{Unit: attempt, Event: event}})
		asked = append(asked, history.Wait{Unit: attempt, Call: fact.Call, At: p.At})
	}
	if q := act.question; q != nil {
		fact := journal.Record{}
		if limit := t.step.Timeout; limit > 0 {
			fact.Until = time.Now().UTC().Add(limit)
		}
		question := *q
		question.Schema, question.Recipe = t.step.Output.Schema, t.in.recipe()
		record(fact, question, steps.Event{Type: Asked, Message: q.Text})
	}
	named := map[string]bool{}
	for _, p := range r.Pending {
		call := p.ID
		for n := 2; named[call]; n++ { // a service may give two calls the same id
			call = fmt.Sprintf("%s-%d", p.ID, n)
		}
		named[call] = true
		record(journal.Record{Call: call}, pendingCall{p, t.in.recipe()}, steps.Event{Type: Asked, Turn: p.Turn, CallID: call, Tool: p.Tool, Input: p.Arguments, Rule: p.Rule})
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
func (u *unit) askPerson(act *activity, asked []history.Wait, r *StepResult) *StepResult {
	ctx, cancel := context.WithCancelCause(u.patient)
	defer cancel(nil)
	defer context.AfterFunc(u.interrupted, func() { cancel(context.Cause(u.interrupted)) })()
	open := len(asked)
	for _, w := range asked {
		is, err := u.readWait(w)
		if err != nil {
			u.lost("journal", err)
			return r
		}
		reply, err := u.ask(ctx, is)
		switch {
		case ctx.Err() != nil:
		case err == nil:
			u.answer(act, w, reply)
			open--
		case !is.IsCall() && !errors.Is(err, ErrUnanswered):
			u.site.warn(fmt.Sprintf("its question is still open: %v", err))
		}
	}
	switch {
	case u.patient.Err() != nil:
		u.place.rested()
		return u.end(act.halted(u.site, steps.Interrupted(context.Cause(u.patient))))
	case open > 0:
		return r
	}
	act.continues, act.answered = true, true
	u.place.rested()
	return nil
}

// stillWaits returns the result of a unit that an earlier process left waiting; nil if it does not
// wait any more. Questions of steps are not asked again if the options came with answers.
func (u *unit) stillWaits(act *activity) *StepResult {
	if u.earlier == nil {
		return nil
	}
	var open []history.Wait
	for _, w := range u.exec.earlier.Waits {
		if w.Unit == u.site.unit.WithAttempt(act.number) {
			open = append(open, w)
		}
	}
	if len(open) == 0 {
		return nil
	}
	u.gate.pass()
	r := u.site.leaf(steps.Result{Status: steps.Waiting})
	isCall := open[0].Call != ""
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
	return u.askPerson(act, open, r)
}

func (e *exec) readWait(w history.Wait) (Wait, error) {
	r, data, err := e.recordAt(w.At)
	if err != nil {
		return Wait{}, err
	}
	return readWait(w, r, data)
}

// ErrUnanswered is the error of [Options].Question if there is no answer now: nobody is there to
// be asked, or nobody answers. The question keeps waiting, and no warning says so.
var ErrUnanswered = errors.New("no answer yet")

// ask asks the person who is there, as long as there is time for an answer.
func (u *unit) ask(around context.Context, w Wait) (reply journal.Reply, err error) {
	ctx, cancel := around, func() {}
	if w.Until != nil {
		ctx, cancel = context.WithDeadline(ctx, *w.Until)
	}
	defer cancel()
	crash := panics.Try(func() { reply, err = u.put(ctx, w) })
	switch {
	case crash != nil:
		return reply, fmt.Errorf("asking it crashed: %v", crash.Value)
	case err != nil && around.Err() == nil && ctx.Err() != nil:
		return journal.Reply{Value: w.Default, By: journal.ByTime}, nil
	}
	return reply, err
}

func (u *unit) put(ctx context.Context, w Wait) (reply journal.Reply, err error) {
	w.Question, w.Arguments = u.Mask.String(w.Question), u.Mask.JSON(w.Arguments) // they are shown
	switch {
	case w.IsCall() && u.AskAgain != nil:
		decision, err := u.AskAgain(WithCaller(ctx, Caller{w.Unit, w.Recipe}), w.Tool, w.Arguments, tools.Decision{Verdict: tools.Ask, Rule: w.Rule})
		return journal.Reply{Allowed: decision.Verdict == tools.Allow}, err
	case w.IsCall() || u.Question == nil:
		return reply, ErrUnanswered
	}
	q := &Question{Wait: w, Workflow: u.top.Name, step: u.site.step}
	value, err := u.Question(ctx, q)
	if err == nil {
		err = u.unquoted(q.Check(value), value)
	}
	if err == nil {
		reply.Value, err = jsonline.Encode(value)
	}
	return reply, err
}

// answer records an answer.
func (u *unit) answer(act *activity, w history.Wait, reply journal.Reply) {
	fact := journal.Record{Kind: journal.Answered, Unit: w.Unit, Call: w.Call}
	p := act.record(fact, reply)
	act.reply, act.replied = &reply, p.At
}

// recordAnswers records the answers with which the run is resumed, and that the time of others is up,
// before anything begins.
func (e *exec) recordAnswers(given []matched) error {
	for _, w := range e.earlier.Waits {
		is, err := e.readWait(w)
		if err != nil {
			return err
		}
		if is.Until != nil && !time.Now().Before(*is.Until) {
			given = append(given, matched{w, journal.Reply{Value: is.Default, By: journal.ByTime}})
		}
	}
	for _, a := range given {
		data, err := jsonline.Encode(a.reply)
		if err != nil {
			return err
		}
		fact := journal.Record{Kind: journal.Answered, Unit: a.Unit, Call: a.Call, Data: data}
		if err := e.journal.Append(&fact); err != nil {
			return err
		}
		e.earlier.Take(&fact)
		if e.replies == nil {
			e.replies = map[journal.Unit]*journal.Reply{}
		}
		e.replies[a.Unit] = &a.reply
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
	return &steps.Approval{Turn: pending.Turn, Place: pending.Place, Allowed: reply.Allowed}, nil
}

// told returns what a person has decided about the call of a tool step; nil if nobody was asked.
func (j Job) told() *steps.Approval {
	if len(j.Past.Facts) == 0 {
		return nil
	}
	return j.Past.Facts[len(j.Past.Facts)-1].Told
}
