package runner

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/trace"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// An attempt is one attempt of a unit that works, in this process.
type attempt struct {
	*site     // in the attempt: with its number and, once it is rendered, in its own folder
	of        *unit
	continues bool // the attempt began before
	compares  bool // an earlier result counts if the work is still the same
	inFlight  bool // a request may have been in flight when the last process ended

	lending sync.Mutex   // held while the unit gets its slot and its permit back
	calls   int          // that run others now
	apart   bool         // the unit has neither a slot nor a permit
	rest    *tools.Spent // what the limits of the step left when the turn began
	limits  *account     // of that

	question *journal.Question // the question that it is about to ask
	reply    *journal.Reply    // the answer, if it came in this process
}

// work runs a unit that works itself.
func (u *unit) work() *StepResult {
	ctx, cancel := u.context()
	defer cancel()
	s := u.standingNow()
	if s == mayNotBegin {
		u.start()
		return u.end(u.leaf(failed(onceUnknown(u.step))))
	}
	if s == retries {
		u.releaseSlot()
	}
	return u.attempts(ctx, s, func(s standing) *StepResult {
		a := u.attemptOf(s)
		if r := a.stillWaits(); r != nil {
			return r
		}
		if u.dry != nil {
			u.barrier.pass()
			return u.dry.work(ctx, a, s)
		}
		r := a.runWhole(ctx)
		if r.Status != steps.Waiting && !u.endRecorded {
			u.keepOrDiscard(r)
			u.leaveToPerson(r)
		}
		return r
	})
}

// attempts runs attempts until one succeeds, or no other one may follow.
func (u *unit) attempts(ctx context.Context, s standing, try func(standing) *StepResult) *StepResult {
	var last *StepResult
	if s == retries {
		last = u.lastAttempt()
		if err := u.waitOn(ctx); err != nil {
			return u.end(cutShort(u.result(), last, err))
		}
	}
	for ; ; s = begins {
		r := try(s)
		switch {
		case u.endRecorded || r.Status == steps.Waiting:
			return r
		case last != nil && !r.begun && r.Status == steps.Cancelled:
			return u.end(cutShort(r, last, r.Error))
		}
		r.Attempts = u.number
		wait, follows := u.retry(r)
		if !follows {
			return u.end(r)
		}
		last = r
		if err := u.sleep(ctx, wait); err != nil {
			return u.end(cutShort(u.result(), last, err))
		}
	}
}

// leaveToPerson sets that only a person has the unit run again, if it failed and may begin only once.
func (u *unit) leaveToPerson(r *StepResult) {
	if r.Error == nil || !r.begun {
		return
	}
	if u.step.Once || u.historyOf(u.address()).CalledOnce && !canGoOn(journal.Status(r.Status), kindOf(r.Error)) {
		failure := *r.Error
		failure.Option, r.Error = OptionOnce, &failure
	}
}

// attemptOf returns the attempt with which the unit begins or continues.
func (u *unit) attemptOf(s standing) *attempt {
	a := &attempt{site: u.numbered(u.number), of: u, compares: s == compares}
	if s == continues {
		a.continues = true
		a.reply = u.replies[u.unit.WithAttempt(u.number)]
	}
	return a
}

// sleep waits before another attempt, but not beyond the time that the unit has left. An error says
// why it has ended before.
func (u *unit) sleep(ctx context.Context, wait time.Duration) error {
	ctx, cancel := u.inTime(ctx)
	defer cancel()
	if !providers.Sleep(ctx, wait) {
		return context.Cause(ctx)
	}
	return nil
}

// bound returns a context limited to the time that the unit and its workflow have left.
func (u *unit) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := u.timeLeft.bound(ctx)
	if u.deadline.IsZero() {
		return ctx, cancel
	}
	inner, cancelInner := context.WithDeadlineCause(ctx, u.deadline, timeIsUp(u.step.Timeout))
	return inner, func() { cancelInner(); cancel() }
}

// inTime is bound within the time of a budget that goes on, too.
func (u *unit) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := u.bound(ctx)
	if u.ender == nil {
		return ctx, cancel
	}
	timeUp := u.ender.timeUp
	inner, cancelInner := context.WithCancelCause(ctx)
	stop := context.AfterFunc(timeUp, func() { cancelInner(context.Cause(timeUp)) })
	return inner, func() { stop(); cancelInner(nil); cancel() }
}

// runWhole runs the attempt until it ends, or waits for a person who is not there.
func (a *attempt) runWhole(ctx context.Context) *StepResult {
	for {
		r := a.runPart(ctx)
		if r.Status != steps.Waiting {
			return r
		}
		a.of.deadline = time.Time{} // its time starts over once it continues
		if r := a.wait(r); r != nil {
			return r
		}
	}
}

// runPart runs the attempt, or a part of it until it waits for a person, as soon as it has a slot.
func (a *attempt) runPart(ctx context.Context) *StepResult {
	u := a.of
	u.barrier.pass()
	a.site = u.numbered(u.number)
	waiting, cancel := u.inTime(ctx)
	defer cancel()
	if a.isAnswered() {
		waiting = u.base
	}
	err := u.acquire(waiting)
	barred := u.barred
	if a.continues {
		barred = u.stop
	}
	if cause := barred(); err == nil && cause != nil && !a.isAnswered() {
		u.release(false)
		err = cause
	}
	if err != nil {
		return a.leaf(steps.Interrupted(err))
	}
	if limit := a.step.Timeout; limit > 0 && u.deadline.IsZero() && a.step.Question == nil {
		u.deadline = time.Now().Add(limit)
	}
	bound := u.inTime
	if a.step.Agent != nil { // which has a last turn when that is up
		bound = u.bound
	}
	working, cancelWork := bound(ctx)
	defer cancelWork()
	working = trace.With(WithCaller(working, Caller{a.unit, a.in.recipe()}), u.trace, a.unit.String())
	r := a.guarded(func() *StepResult { return a.run(working) })
	if !a.apart {
		u.release(r.Status == steps.Waiting)
	}
	return r
}

// release gives back the slot, and the permit of the element around; rests says that the unit waits for a
// person.
func (u *unit) release(rests bool) {
	u.releaseSlot()
	u.permit.end(rests)
}

// releaseSlot gives back the slot, or the place in the line for one.
func (u *unit) releaseSlot() {
	u.ticket.release()
	u.ticket = nil
}

// isAnswered reports whether the attempt goes on with the answer to its question, which counts
// whatever failed beside it.
func (a *attempt) isAnswered() bool {
	return a.step.Question != nil && (a.reply != nil || a.history().Replied != 0)
}

// history returns what the records say of an attempt that continues.
func (a *attempt) history() *history.Unit {
	if a.continues {
		return a.of.historyOf(a.of.address())
	}
	return &history.Unit{}
}

// acquire waits for the permit of the element around, if that was given up, and for a slot. Meanwhile it
// holds no slot, which whoever has the permit may need.
func (u *unit) acquire(ctx context.Context) error {
	if err := u.permit.begin(ctx, u.releaseSlot); err != nil {
		return err
	}
	if u.step.Question != nil {
		return nil
	}
	if u.ticket == nil {
		u.ticket = u.slots.ticket()
	}
	err := u.ticket.wait(ctx, u.observe)
	if err != nil {
		u.release(false)
	}
	return err
}

// run begins or continues the attempt, and runs it.
func (a *attempt) run(ctx context.Context) *StepResult {
	if ctx.Err() != nil && !a.isAnswered() {
		return a.leaf(steps.Interrupted(context.Cause(ctx)))
	}
	begun := false
	job, kept, err := a.begin(ctx, &begun)
	if kept != nil {
		return kept
	}
	var done steps.Result
	if err == nil {
		done, err = a.of.do(ctx, job)
	}
	if job.Work != nil && job.Work.Agent != nil {
		done.Used = a.of.unasked()
	}
	r := a.leaf(done)
	if err != nil {
		r = a.leaf(unprepared(ctx, err))
		a.of.start()
	}
	r.begun = begun
	return r
}

// begin renders the step, records what it is about to do, and returns that; or the earlier result,
// if that is kept.
func (a *attempt) begin(ctx context.Context, begun *bool) (job Job, kept *StepResult, err error) {
	u := a.of
	if err := u.keepAnswers(); err != nil {
		return job, nil, err
	}
	a.kept = u.kept
	w, known, err := a.render(ctx)
	if err == nil && u.passWork != nil {
		w, err = u.passWork(w)
	}
	if err != nil {
		return job, nil, err
	}
	p := &entry{record: journal.Record{Kind: journal.Began, Unit: a.unit, Label: a.label, Once: a.step.Once}}
	if !known {
		p.data = w
	}
	u.prepare(p)
	if a.compares && p.failed == nil {
		if kept, err := a.keep(p); kept != nil || err != nil {
			return job, kept, err
		}
	}
	u.append(p)
	u.start()
	*begun = true
	if ctx.Err() != nil && a.step.Question == nil {
		return job, nil, context.Cause(ctx)
	}
	if a.step.Once { // the record has to outlive a crash of the machine, too
		if err := u.journal.Sync(); err != nil {
			return job, nil, err
		}
	}
	job = Job{Unit: a.unit, Work: w, Remember: a.remember, Reserve: a.reserve, attempt: a}
	if w.Agent != nil || w.Arguments != nil {
		job.Past, err = a.conversation()
	}
	return job, nil, err
}

// render renders the step. A step that continues is not rendered again: its recorded work is
// known. Only if a secret is hidden in that, it is rendered again.
func (a *attempt) render(ctx context.Context) (w *Work, known bool, err error) {
	if is := a.history(); is.Work != 0 {
		w, hidden, err := a.of.workAt(is.Work)
		if err != nil {
			return nil, false, err
		}
		if a.step.Agent == nil && a.step.Question == nil && !is.IsAnswered() {
			a.warn("it was running when flow ended, and now runs again: the first attempt may have taken effect, or may still be running")
		}
		if !hidden {
			return a.recordedWork(ctx, w)
		}
	}
	if a.site, err = a.evalEnv(ctx); err == nil {
		w, err = a.site.render(ctx)
	}
	return w, false, err
}

// recordedWork returns recorded work, and sets the site as it was when the work began.
func (a *attempt) recordedWork(ctx context.Context, w *Work) (_ *Work, known bool, err error) {
	if a.site, err = a.recordedEnv(w); err != nil || w.Agent == nil {
		return w, true, err
	}
	if known = !a.limited(w); a.exec.Model == "" {
		return w, known, nil
	}
	w, named, err := a.renamed(ctx, w)
	return w, known && named, err
}

// limited replaces the limits of recorded work by those of the file, which may have been raised. It
// reports whether they differ.
func (t *site) limited(w *Work) bool {
	now := limitsOfStop(t.step.Agent.Stop)
	now.When = w.Agent.Stop.When
	changed := !reflect.DeepEqual(now, w.Agent.Stop) || w.Agent.MaxFixes != t.step.Agent.MaxFixes
	w.Agent.Stop, w.Agent.MaxFixes = now, t.step.Agent.MaxFixes
	return changed
}

// renamed replaces the models of recorded work by the one that the options name for every
// step.
func (t *site) renamed(ctx context.Context, w *Work) (_ *Work, known bool, err error) {
	named, err := t.in.modelsFor(ctx, t.step.Agent, nil)
	if err != nil || slices.Equal(named.Refs, w.Agent.Models) {
		return w, true, err
	}
	w.Agent.Models, w.Agent.ModelsOf = named.Refs, named.By.File
	return w, false, nil
}
