package plan

import (
	"errors"
	"fmt"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// not returns the error for a record that does not fit the state of its unit.
func not(what string) error { return errors.New("the unit " + what) }

// deciders apply decisions, each in the state in which it is due.
var deciders = map[journal.About]struct {
	due  state
	take func(*Plan, *job, *journal.Record) error
}{
	journal.If: {deciding, (*Plan).holds}, journal.Elements: {counting, (*Plan).counted},
	journal.Until: {judging, (*Plan).judged}, journal.Rested: {resting, (*Plan).rested},
}

func (p *Plan) decided(j *job, r *journal.Record) error {
	decider, known := deciders[r.About]
	switch {
	case known && j.state == decider.due:
		return decider.take(p, j, r)
	case r.About == journal.Inner:
		return p.told(j, r)
	case r.About == journal.Keep && j.state == ready && p.changed && j.works() && !j.goesOn:
		return p.ends(j, r)
	case r.About == journal.Stop && j.state != idle && j.state != ended:
		p.stop(j, stopOf(r))
		return nil
	}
	return fmt.Errorf("nothing is to be decided about %q", r.About)
}

// holds applies whether the condition of a step holds.
func (p *Plan) holds(j *job, r *journal.Record) error {
	if r.Holds {
		p.proceed(j)
		return nil
	}
	j.refused = true
	p.close(j, journal.Skipped)
	return nil
}

// counted applies how many elements there are, and begins the first ones.
func (p *Plan) counted(j *job, r *journal.Record) error {
	if r.Count > journal.MaxElements {
		return fmt.Errorf("%d elements, of which there may be %d", r.Count, journal.MaxElements)
	}
	for n, i := range r.LeftOut {
		if i < 0 || i >= r.Count || n > 0 && i <= r.LeftOut[n-1] {
			return fmt.Errorf("element %d is left out, of %d in their order", i, r.Count)
		}
	}
	j.elements = newElements(r.Count, j.base)
	for _, i := range r.LeftOut {
		j.elements.done[i/64] |= 1 << (i % 64)
	}
	j.elements.leftOut = len(r.LeftOut)
	p.set(j, inside)
	p.fill(j)
	return nil
}

// rested ends the wait before another attempt.
func (p *Plan) rested(j *job, _ *journal.Record) error {
	p.join(j)
	p.proceed(j)
	return nil
}

// judged applies whether the until of a group holds after a round.
func (p *Plan) judged(j *job, r *journal.Record) error {
	if r.Count != j.round {
		return fmt.Errorf("the last round is %d", j.round)
	}
	if j.verdict = holdsNot; r.Holds {
		j.verdict = holds
	}
	if r.Holds || j.round-j.rounds >= j.step.Group.MaxRounds {
		p.set(j, finishing)
	} else {
		p.nextRound(j)
	}
	return nil
}

func (p *Plan) nextRound(j *job) {
	j.round++
	j.verdict = 0
	p.open(j, j.step.Group.Steps)
}

// began applies that an attempt began, or continues.
func (p *Plan) began(j *job, r *journal.Record) error {
	if j.state != ready {
		return not("is not to begin")
	}
	j.begun, j.goesOn = true, false
	switch step := j.step; {
	case step.Group != nil:
		j.round, j.rounds = 0, 0
		if step.Repeats() {
			p.nextRound(j)
		} else {
			p.open(j, step.Group.Steps)
		}
	case step.Use != nil:
		p.open(j, step.Use.Workflow.Steps)
	default:
		j.once = r.Once
		p.set(j, working)
	}
	return nil
}

// told applies a fact of a conversation, which changes nothing in the plan.
func (p *Plan) told(j *job, _ *journal.Record) error {
	if j.state != working && j.state != asking {
		return not("does not work")
	}
	return nil
}

// Another reports whether an attempt that fails may be followed by another one, and
// after how many nanoseconds.
func (p *Plan) Another(attempt journal.Unit) (wait int64, may bool) {
	j, n, err := p.find(attempt)
	if err != nil || n != j.attempt || !j.mayTryAgain() || j.hadOnce() {
		return 0, false
	}
	retry := j.step.Retry
	w := retry.Backoff
	for range j.attempt - j.first {
		if w *= 2; w >= retry.MaxBackoff {
			break
		}
	}
	return int64(min(w, retry.MaxBackoff)), true
}

func (j *job) mayTryAgain() bool {
	return j.stopped == 0 && !j.isFan() && j.attempt-j.first+1 < j.step.Retry.MaxAttempts
}

// again applies that an attempt has failed and another one follows.
func (p *Plan) again(j *job, r *journal.Record) error {
	switch {
	case j.state != working && j.state != ready && j.state != judging && j.state != finishing:
		return not("has not been tried")
	case r.Status == journal.Succeeded || r.Status == journal.Skipped || !j.mayTryAgain():
		return not("is not to be tried again")
	}
	p.leave(j)
	j.attempt++
	j.inner, j.round, j.begun, j.goesOn, j.answered = nil, 0, false, false, false
	j.until, j.atMost = r.Until.UnixMilli(), r.Until.Sub(r.Time).Milliseconds()
	p.set(j, resting)
	return nil
}

func (p *Plan) asked(j *job, r *journal.Record) error {
	if j.state != working && j.state != asking || j.asks[r.Call] {
		return not("can't ask this")
	}
	if j.asks == nil {
		j.asks = map[string]bool{}
	}
	j.asks[r.Call] = true
	if j.state == working {
		p.leave(j)
		p.set(j, asking)
	}
	if by := j.stopped; by != 0 {
		j.stopped = 0
		p.stop(j, by)
	}
	return nil
}

func (p *Plan) answered(j *job, r *journal.Record) error {
	if j.state != asking || !j.asks[r.Call] {
		return not("has not asked this")
	}
	if delete(j.asks, r.Call); len(j.asks) > 0 {
		return nil
	}
	j.goesOn, j.answered = true, r.Call == ""
	p.join(j)
	p.proceed(j)
	return nil
}

// ended applies that a unit has ended, if it may end so in its state.
func (p *Plan) ended(j *job, r *journal.Record) error {
	switch j.state {
	case idle, queued, inside, ended:
		return not("is not to end")
	case deciding, counting, ready, resting, judging:
		if r.Status == journal.Succeeded {
			return not("has not worked")
		}
	case closing:
		if (r.Status == journal.Succeeded) != (j.status == journal.Succeeded) || (r.Status == journal.Skipped) != (j.status == journal.Skipped) {
			return not("ends otherwise")
		}
	}
	if r.Status == journal.Skipped && j.state != closing {
		return not("is not to be skipped")
	}
	return p.ends(j, r)
}

// ends ends a unit with the status of a record.
func (p *Plan) ends(j *job, r *journal.Record) error {
	switch r.Status {
	case journal.Succeeded, journal.Failed, journal.Stopped, journal.Cancelled, journal.Skipped:
	default:
		return fmt.Errorf("no unit comes to %.40q", r.Status)
	}
	succeeded := r.Status == journal.Succeeded
	p.leave(j)
	p.set(j, ended)
	j.status, j.fatal, j.asks = r.Status, r.Fatal && !succeeded, nil
	j.cut = j.stopped >= ByInterrupt && (r.Status == journal.Cancelled || r.Status == journal.Skipped)
	j.good = succeeded || j.fan == nil && !j.fatal && (r.Status == journal.Skipped || r.Forgiven)
	if succeeded && !p.retained(j) {
		j.inner = nil
		if j.elements != nil {
			j.base = j.elements.most
			j.elements = nil
		}
	}
	if j.fan != nil {
		p.elementEnded(j)
	} else {
		p.stepEnded(j)
	}
	return nil
}
