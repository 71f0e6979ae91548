package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// replay has the facts of a conversation that was cut off, which are used in place of asking
// again. When none are left the agent is live. The same code counts and decides in both
// cases. Only the goroutine of the conversation may change it.
type replay struct {
	facts    []Fact // without those of calls
	next     int
	ends     int // how often the step had ended before the next fact
	heard    int // how often it had before the last answer
	intents  map[callKey]*CallStarted
	answers  map[callKey]*CallEnded
	told     map[callKey]*Approval // the last approval of a call
	lastEnd  int                   // how often the step had ended
	past     bool                  // there were facts
	requests int                   // how many requests were made
	live     bool
}

// A callKey is a call of a turn. Ends is how often the step had ended before: an answer at a limit has
// the number of the turn after it.
type callKey struct{ ends, turn, index int }

// find returns what is known of a call of the last answer.
func find[T any](r *replay, of map[callKey]*T, turn, index int) (found *T) {
	for ends := r.heard; ends <= r.lastEnd && found == nil; ends++ {
		found = of[callKey{ends, turn, index}]
	}
	return found
}

func newReplay(p Past) replay {
	r := replay{intents: map[callKey]*CallStarted{}, answers: map[callKey]*CallEnded{}, told: map[callKey]*Approval{}, past: len(p.Facts) > 0, live: len(p.Facts) == 0}
	for _, f := range p.Facts {
		switch {
		case f.CallStarted != nil:
			r.intents[callKey{r.lastEnd, f.CallStarted.Turn, f.CallStarted.Place}] = f.CallStarted
		case f.CallEnded != nil:
			r.answers[callKey{r.lastEnd, f.CallEnded.Turn, f.CallEnded.Place}] = f.CallEnded
		case f.Approval != nil:
			r.told[callKey{r.lastEnd, f.Approval.Turn, f.Approval.Place}] = f.Approval
		case f.Ended:
			r.lastEnd++
			r.facts = append(r.facts, f)
		default:
			r.facts = append(r.facts, f)
		}
	}
	return r
}

// errPast is the error for facts from which a conversation can't continue.
var errPast = errors.New("the recorded conversation is inconsistent")

// remembered returns the next fact, which has to be a wanted one. If none are left it
// returns nil, and the agent is live.
func (d *dialogue) remembered(wanted func(Fact) bool) (*Fact, error) {
	r := &d.replay
	d.passEnds()
	if r.live || r.next == len(r.facts) {
		d.goLive()
		return nil, nil
	}
	f := &r.facts[r.next]
	if !wanted(*f) {
		return nil, &Error{Kind: KindInternal, Message: fmt.Sprintf("fact %d: %v", r.next+1, errPast), Err: errPast}
	}
	r.next++
	return f, nil
}

// passEnds goes on behind where the step had ended.
func (d *dialogue) passEnds() {
	for r := &d.replay; r.next < len(r.facts) && r.facts[r.next].Ended; r.next++ {
		r.ends++
		d.c.countAnew()
	}
}

// goesOn reports whether the step, which has ended in the replay at a limit or a budget, had
// continued after that. What it was asked for at its limit is no part of the conversation, but was
// paid for.
func (d *dialogue) goesOn(ctx context.Context, e *ending) bool {
	r := &d.replay
	end := slices.IndexFunc(r.facts[min(r.next, len(r.facts)):], func(f Fact) bool { return f.Ended })
	if ctx.Err() != nil || r.live || end < 0 || !e.lastTurn && e.status != Stopped {
		return false
	}
	for _, f := range r.facts[r.next : r.next+end] {
		if f.Answer != nil {
			d.countAgain(f.Answer)
		}
	}
	r.next += end
	d.passEnds()
	if last := len(d.c.Messages) - 1; d.c.Messages[last].Role == providers.RoleAssistant { // it was cut off
		d.c.Messages = slices.Clip(d.c.Messages[:last])
	}
	return true
}

// goLive ends the replay. From now on a model may be asked that is not the one of before.
func (d *dialogue) goLive() {
	if d.replay.live {
		return
	}
	d.replay.live = true
	d.quiet = false
	d.startTime()
	d.info = d.agent.Model.Info()
	if d.form.native && !d.info.Obeys(len(d.specs) > 0) {
		d.form = d.form.byTool(d.names)
	}
}

// note passes on a fact.
func (d *dialogue) note(f Fact) {
	if d.agent.Hooks.Remember != nil {
		d.agent.Hooks.Remember(f)
	}
}

// meet sets what the conversation depends on of its model: until the agent is live, of the
// one that began the conversation.
func (d *dialogue) meet() {
	if d.info = d.agent.Model.Info(); d.replay.live {
		d.note(Fact{Model: &FirstModel{d.info.Ref, d.info.Context, d.info.StructuredOutput, d.info.StructuredAlone}})
		return
	}
	asked := d.replay.facts[0].Model
	d.replay.next++
	d.info.Ref, d.info.Context = asked.Model, asked.Context
	d.info.StructuredOutput, d.info.StructuredAlone = asked.Structured, asked.StructuredAlone
}

// heard returns the replayed answer to the next request, or nil if the request has to be
// made.
func (d *dialogue) heard() (*Answer, error) {
	for r := &d.replay; !d.last && r.next < len(r.facts) && r.facts[r.next].Answer != nil && r.facts[r.next].Answer.Last; r.next++ {
		d.countAgain(r.facts[r.next].Answer)
	}
	f, err := d.remembered(func(f Fact) bool { return f.Answer != nil })
	if f == nil || err != nil {
		return nil, err
	}
	d.replay.heard = d.replay.ends
	return f.Answer, nil
}

// hearAgain does with a replayed answer what sendAnew did with it.
func (d *dialogue) hearAgain(s *Answer) (providers.Message, error) {
	d.countAgain(s)
	s.Message.Saved = s.Saved
	d.save(s.Message)
	d.bound = bound{reason: s.Bound}
	if s.Error != nil {
		d.brokenOff(s.Message)
		return s.Message, &providers.Error{Kind: s.Error.Kind, Message: s.Error.Message}
	}
	d.hear(s.Message)
	return s.Message, nil
}

func (d *dialogue) countAgain(s *Answer) {
	if !s.Last {
		d.replay.requests += 1 + s.Retries
	}
	for _, used := range s.Used {
		usd, known := 0.0, true
		if d.agent.Hooks.Price != nil {
			usd, known = d.agent.Hooks.Price(used.Model, used.Usage)
		}
		d.c.spend(used.Model, used.Usage, usd, known)
	}
}

// countRest counts the answers of the replay that an interrupted agent does not come to: they
// were paid for.
func (d *dialogue) countRest() {
	for ; d.replay.next < len(d.replay.facts); d.replay.next++ {
		if s := d.replay.facts[d.replay.next].Answer; s != nil {
			d.countAgain(s)
		}
	}
}

// timeUp reports whether the step's own timeout ended here before, and ends it again.
func (d *dialogue) timeUp() bool {
	r := &d.replay
	d.passEnds()
	if r.live || r.next == len(r.facts) || !r.facts[r.next].TimeUp {
		return false
	}
	r.next++
	d.endTime()
	return true
}

// recall sets the replayed answers of calls, and reports whether calls are left to run.
func (d *dialogue) recall(calls []*call, turn int) (left bool) {
	if !d.replay.past {
		return true
	}
	for _, c := range calls {
		if a := find(&d.replay, d.replay.answers, turn, c.index); a != nil {
			c.remember(a)
		} else if !c.hands && c.prepared != nil {
			left = true
			in := find(&d.replay, d.replay.intents, turn, c.index)
			c.unknown = in != nil && in.Writes
			if told := find(&d.replay, d.replay.told, turn, c.index); told != nil {
				c.prepared.Ask = told.ask
			}
		}
	}
	return left
}

// remember sets a replayed answer.
func (c *call) remember(a *CallEnded) {
	c.known = true
	c.answer = tools.Answer{
		Status: a.Status, Content: a.Content, Path: a.Whole, Truncated: a.Truncated, Lost: a.Lost,
		Decision: tools.Decision{Rule: a.Rule, Reason: a.Reason},
	}
	if a.Error != "" {
		c.err = errors.New(a.Error)
	}
}

// inFlight returns the answer to a call that may have changed something before the
// conversation was cut off.
func inFlight() tools.Answer {
	return refusal("Failed: flow was killed while it ran; whether it took effect is not known. Look before you repeat it.")
}

// once returns the replayed value of a question, or else calls answer, and notes the value.
func once[T any](d *dialogue, of func(*Fact) **T, answer func() (T, error)) (value T, err error) {
	f, err := d.remembered(func(f Fact) bool { return *of(&f) != nil })
	switch {
	case err != nil:
		return value, err
	case f != nil:
		return **of(f), nil
	}
	if value, err = answer(); err == nil {
		var news Fact
		*of(&news) = &value
		d.note(news)
	}
	return value, err
}

// judged returns what the checks find wrong with a result. Without checks there is no fact.
func (d *dialogue) judged(ctx context.Context, result found) (problem string, err error) {
	if len(d.agent.Checks) == 0 {
		return "", nil
	}
	v, err := once(d, func(f *Fact) **Verdict { return &f.Check }, func() (Verdict, error) { return d.agent.inspect(ctx, result) })
	return v.Problem, err
}

// met reports whether the step's own stop condition holds after a turn.
func (d *dialogue) met(t turn) (bool, error) {
	if d.agent.Stop.When == nil {
		return false, nil
	}
	return once(d, func(f *Fact) **bool { return &f.When }, func() (bool, error) { return d.agent.Stop.met(&d.c, t) })
}

// whole writes the result of a call that is taken out of the conversation to a file. After
// an error the path is "", which is noted, too.
func (d *dialogue) whole(call int, b providers.Block) (path string, err error) {
	var unkept error
	path, err = once(d, func(f *Fact) **string { return &f.Kept }, func() (path string, err error) {
		path, unkept = d.keepWhole(call, b)
		return path, nil
	})
	return path, errors.Join(err, unkept)
}
