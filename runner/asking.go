package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/past"
	"github.com/a-seed-11b9befa/flow/runner/plan"
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
	e := t.run.engine
	e.mu.Lock()
	reply, at := t.node.reply, t.node.replied
	e.mu.Unlock()
	if reply == nil && at == 0 {
		return steps.Result{Status: steps.Waiting}
	}
	secret := reply == nil || reply.By == journal.ByTime // the answer is from the journal, in which a secret is hidden
	if reply == nil {
		reply = &journal.Reply{}
		data, err := e.dataAt(at)
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

// wait records what a unit waits for, and asks a person if one is there.
func (e *engine) wait(a *activity, r *StepResult) {
	e.mu.Lock()
	label := a.node.labelAround()
	if n := a.node; n.timer != nil { // its time starts over once it continues
		n.timer.Stop()
		n.timer, n.deadline = nil, time.Time{}
	}
	e.mu.Unlock()
	if q := a.node.question; q != nil {
		fact := journal.Record{Kind: journal.Asked, Unit: a.task.Unit, Label: label}
		if limit := a.site.step.Timeout; limit > 0 {
			fact.Until = time.Now().UTC().Add(limit)
		}
		question := *q
		question.Schema, question.Recipe = a.site.step.Output.Schema, a.site.in.recipe()
		e.append(a.node, nil, fact, question)
		e.tell(a.site, Event{Unit: a.task.Unit, Event: steps.Event{Type: Asked, Message: q.Text}})
	}
	named := map[string]bool{}
	for _, p := range r.Pending {
		call := p.ID
		for n := 2; named[call]; n++ { // a service may give two calls the same id
			call = fmt.Sprintf("%s-%d", p.ID, n)
		}
		named[call] = true
		e.append(a.node, nil, journal.Record{Kind: journal.Asked, Unit: a.task.Unit, Call: call, Label: label}, pendingCall{p, a.site.in.recipe()})
		e.tell(a.site, Event{Unit: a.task.Unit, Event: steps.Event{Type: Asked, Turn: p.Turn, CallID: call, Tool: p.Tool, Input: p.Arguments, Rule: p.Rule}})
	}
	if r.Pending == nil {
		e.askPerson(a)
	}
}

// A pendingCall is the data of Asked about a call.
type pendingCall struct {
	steps.Pending
	Recipe string `json:"recipe,omitempty"` // the recipe of the step that makes it
}

// waitsOf returns what an attempt waits for, in the order in which it was asked.
func (e *engine) waitsOf(attempt journal.Unit) (all []past.Wait) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.waits {
		if (attempt.IsZero() || w.Unit == attempt) && e.plan.Asks(w.Unit, w.Call) {
			all = append(all, w)
		}
	}
	return all
}

// askPerson asks the person who is there everything that an attempt waits for. A question
// without an answer that fits keeps waiting.
func (e *engine) askPerson(a *activity) {
	for _, w := range e.waitsOf(a.task.Unit) {
		is, err := e.readWait(w)
		if err != nil {
			e.lost("journal", err)
			return
		}
		reply, err := e.ask(a, is)
		switch {
		case a.ctx.Err() != nil:
		case err == nil:
			e.answer(a.node, w, reply)
		case !is.IsCall() && !errors.Is(err, ErrUnanswered):
			a.site.warn(fmt.Sprintf("its question is still open: %v", err))
		}
	}
}

func (e *engine) readWait(w past.Wait) (Wait, error) {
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
func (e *engine) ask(a *activity, w Wait) (reply journal.Reply, err error) {
	ctx, cancel := a.ctx, func() {}
	if w.Until != nil {
		ctx, cancel = context.WithDeadline(ctx, *w.Until)
	}
	defer cancel()
	crash := panics.Try(func() { reply, err = e.put(ctx, a, w) })
	switch {
	case crash != nil:
		return reply, fmt.Errorf("asking it crashed: %v", crash.Value)
	case err != nil && a.ctx.Err() == nil && ctx.Err() != nil:
		return journal.Reply{Value: w.Default, By: journal.ByTime}, nil
	}
	return reply, err
}

func (e *engine) put(ctx context.Context, a *activity, w Wait) (reply journal.Reply, err error) {
	w.Question, w.Arguments = e.Mask.String(w.Question), e.Mask.JSON(w.Arguments) // they are shown
	switch {
	case w.IsCall() && e.AskAgain != nil:
		decision, err := e.AskAgain(WithCaller(ctx, Caller{w.Unit, w.Recipe}), w.Tool, w.Arguments, tools.Decision{Verdict: tools.Ask, Rule: w.Rule})
		return journal.Reply{Allowed: decision.Verdict == tools.Allow}, err
	case w.IsCall() || e.Question == nil:
		return reply, ErrUnanswered
	}
	q := &Question{Wait: w, Workflow: e.top.Name, step: a.site.step}
	value, err := e.Question(ctx, q)
	if err == nil {
		err = e.unquoted(q.Check(value), value)
	}
	if err == nil {
		reply.Value, err = jsonline.Encode(value)
	}
	return reply, err
}

// answer records an answer, unless the question no longer waits.
func (e *engine) answer(n *node, w past.Wait, reply journal.Reply) {
	fact := journal.Record{Kind: journal.Answered, Unit: w.Unit, Call: w.Call}
	waits := func() bool { return e.plan.Asks(w.Unit, w.Call) }
	e.appendIf(n, waits, fact, reply, func() { n.reply = &reply })
}

// askAgain asks again what an earlier process has left waiting. It asks no questions of steps
// if the options came with answers, and none whose time is up: those have their answer.
func (e *engine) askAgain() {
	for _, w := range e.waitsOf(journal.Unit{}) {
		n, t, err := e.find(w.Unit)
		var is Wait
		if err == nil {
			is, err = e.readWait(w)
		}
		switch {
		case err != nil:
			e.bug(err)
			return
		case is.Until != nil && !time.Now().Before(*is.Until):
			e.answer(n, w, journal.Reply{Value: is.Default, By: journal.ByTime})
			continue
		case is.IsCall() && e.AskAgain == nil, !is.IsCall() && (e.Question == nil || len(e.Resume.Answers) > 0),
			e.doing[w.Unit.WithAttempt(0)] != nil:
			continue
		}
		a := &activity{task: plan.Task{Unit: w.Unit, Step: n.step}, node: n, site: t, asks: true}
		a.ctx, a.cancel = context.WithCancelCause(e.base)
		if !is.IsCall() {
			e.tellStart(n, t)
		}
		e.doing[w.Unit.WithAttempt(0)] = a
		e.goDo(a, e.askPerson)
	}
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

// toldOfCall returns what a person has decided about the call of a tool step; nil if nobody
// was asked.
func (t *site) toldOfCall() (*steps.Approval, error) {
	past, err := t.run.engine.past(t.node)
	if err != nil || len(past.Facts) == 0 {
		return nil, err
	}
	return past.Facts[len(past.Facts)-1].Told, nil
}
