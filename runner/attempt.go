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

// An attempt is what is known of the attempt of a unit that works, in this process.
type attempt struct {
	continues bool // it began before, in an earlier process or until a person was asked
	compares  bool // an earlier result counts if the work is still the same
	begun     bool // it began in this process, or went on when it had a slot again
	inFlight  bool // a request may have been in flight when the last process ended

	lending sync.Mutex    // held while the unit gets its slot and its place back
	calls   int           // that run others now
	apart   bool          // the unit has neither a slot nor a place
	rest    *tools.Amount // what the limits of the step left when the turn began
	limits  *budget       // of that

	question *journal.Question // the question that it is about to ask
	reply    *journal.Reply    // the answer, if it came in this process
}

// runWork runs a unit that works itself.
func (u *unit) runWork() *StepResult {
	ctx, cancel := u.context()
	defer cancel()
	s := u.takeUp()
	if s == mayNotBegin {
		u.start()
		return u.finish(u.resultOf(failed(onceUnknown(u.step))))
	}
	if s == retries {
		u.releaseSlot()
	}
	return u.attempts(ctx, s, func(s standing) *StepResult {
		u.beginAttempt(s)
		if r := u.stillWaits(); r != nil {
			return r
		}
		if u.dry != nil {
			u.barrier.pass()
			return u.dry.work(ctx, u, s)
		}
		r := u.untilDone(ctx)
		if r.Status != steps.Waiting && !u.endRecorded {
			u.home.keepOrDiscard(r)
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
			return u.finish(cutShort(u.result(), last, err))
		}
	}
	for ; ; s = begins {
		r := try(s)
		switch {
		case u.endRecorded || r.Status == steps.Waiting:
			return r
		case last != nil && !r.begun && r.Status == steps.Cancelled:
			return u.finish(cutShort(r, last, r.Error))
		}
		r.Attempts = u.number
		wait, follows := u.retry(r)
		if !follows {
			return u.finish(r)
		}
		last = r
		if err := u.sleep(ctx, wait); err != nil {
			return u.finish(cutShort(u.result(), last, err))
		}
	}
}

// waitOn waits until the attempt may begin for which an earlier process waited when it ended.
func (u *unit) waitOn(ctx context.Context) error {
	u.number = u.earlier.Attempt + 1
	u.barrier.pass()
	if u.dry != nil {
		return nil
	}
	return u.sleep(ctx, min(time.Until(u.earlier.RetryAt), u.earlier.Backoff))
}

// lastAttempt returns the result of the attempt that failed last, in an earlier process.
func (u *unit) lastAttempt() *StepResult {
	r := &StepResult{}
	_, data, err := u.store.recordAt(u.earlier.Retried)
	if err == nil {
		err = r.restore(journal.Unnamed(data), u.folder)
	}
	if err != nil {
		return u.resultOf(failed(err))
	}
	return r
}

// leaveToPerson sets that only a person has the unit run again, if it failed and may begin only once.
func (u *unit) leaveToPerson(r *StepResult) {
	if r.Error == nil || !r.begun {
		return
	}
	if u.step.Once || u.historyOf(u.address()).CalledOnce && !canContinue(r.Status, kindOf(r.Error)) {
		failure := *r.Error
		failure.Option, r.Error = OptionOnce, &failure
	}
}

// beginAttempt sets up the attempt with which the unit begins or continues.
func (u *unit) beginAttempt(s standing) {
	u.site = u.home.numbered(u.number)
	u.attempt = attempt{continues: s == continues, compares: s == compares}
	if u.continues {
		u.reply = u.replies[u.unit]
	}
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

// bound returns a context limited to the time that the unit has left, by its timeout and by budgets.
func (u *unit) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	until, cause := u.budget.until, error(u.budget.timeIsUp)
	if d := u.deadline; !d.IsZero() && (until.IsZero() || d.Before(until)) {
		until, cause = d, timeIsUp(u.step.Timeout)
	}
	if until.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, until, cause)
}

// inTime is bound within the time of budgets that go on, too.
func (u *unit) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := u.bound(ctx)
	inner, cancelInner := endingWith(ctx, u.budget.closing)
	return inner, func() { cancelInner(); cancel() }
}

// untilDone runs the attempt until it ends, or waits for a person who is not there.
func (u *unit) untilDone(ctx context.Context) *StepResult {
	for {
		r := u.inSlot(ctx)
		if r.Status != steps.Waiting {
			return r
		}
		u.deadline = time.Time{} // its time starts over once it continues
		if r := u.await(r); r != nil {
			return r
		}
	}
}

// inSlot runs the attempt, or a part of it until it waits for a person, as soon as it has a slot.
func (u *unit) inSlot(ctx context.Context) *StepResult {
	u.barrier.pass()
	u.site, u.begun = u.home.numbered(u.number), false
	waiting, cancel := u.inTime(ctx)
	defer cancel()
	if u.isAnswered() {
		waiting = u.base
	}
	err := u.acquire(waiting)
	barred := u.barred
	if u.continues {
		barred = u.stop
	}
	if cause := barred(); err == nil && cause != nil && !u.isAnswered() {
		u.release(false)
		err = cause
	}
	if err != nil {
		return u.resultOf(steps.Interrupted(err))
	}
	if limit := u.step.Timeout; limit > 0 && u.deadline.IsZero() && u.step.Question == nil {
		u.deadline = time.Now().Add(limit)
	}
	bound := u.inTime
	if u.step.Agent != nil { // which has a last turn when that is up
		bound = u.bound
	}
	working, cancelWork := bound(ctx)
	defer cancelWork()
	working = trace.With(WithCaller(working, Caller{u.unit, u.in.recipe()}), u.trace, u.unit.String())
	r := u.guarded(func() *StepResult { return u.runOnce(working) })
	if !u.apart {
		u.release(r.Status == steps.Waiting)
	}
	return r
}

// release gives back the slot, and the place of the element around; rests says that the unit waits for a
// person.
func (u *unit) release(rests bool) {
	u.releaseSlot()
	u.place.end(rests)
}

// releaseSlot gives back the slot, or the place in the line for one.
func (u *unit) releaseSlot() {
	u.ticket.release()
	u.ticket = nil
}

// isAnswered reports whether the attempt goes on with the answer to its question, which counts
// whatever failed beside it.
func (u *unit) isAnswered() bool {
	return u.step.Question != nil && (u.reply != nil || u.soFar().Replied != 0)
}

// soFar returns what the records say of an attempt that continues.
func (u *unit) soFar() *history.Unit {
	if u.continues {
		return u.historyOf(u.address())
	}
	return &history.Unit{}
}

// acquire waits for the place of the element around, if that was given back, and for a slot. Meanwhile it
// holds no slot, which whoever has the place may need.
func (u *unit) acquire(ctx context.Context) error {
	if err := u.place.begin(ctx, u.releaseSlot); err != nil {
		return err
	}
	if u.step.Question != nil {
		return nil
	}
	if u.ticket == nil {
		u.ticket = u.slots.ticket()
	}
	err := u.ticket.wait(ctx, u.home.observe)
	if err != nil {
		u.release(false)
	}
	return err
}

// runOnce begins or continues the attempt, and runs it.
func (u *unit) runOnce(ctx context.Context) *StepResult {
	if ctx.Err() != nil && !u.isAnswered() {
		return u.resultOf(steps.Interrupted(context.Cause(ctx)))
	}
	job, kept, err := u.begin(ctx)
	if kept != nil {
		return kept
	}
	var done steps.Result
	if err == nil {
		done, err = u.execute(ctx, job)
	}
	if job.Work != nil && job.Work.Agent != nil {
		done.Used = u.unasked()
	}
	r := u.resultOf(done)
	if err != nil {
		r = u.resultOf(unprepared(ctx, err))
		u.start()
	}
	r.begun = u.begun
	return r
}

// begin records what the step is about to do, and returns that; or the earlier result, if that is kept.
func (u *unit) begin(ctx context.Context) (job Job, kept *StepResult, err error) {
	if err := u.home.keepAnswers(); err != nil {
		return job, nil, err
	}
	u.kept = u.home.kept
	p, w, kept, err := u.prepareBegin(ctx)
	if kept != nil || err != nil {
		return job, kept, err
	}
	u.append(p)
	u.start()
	u.begun = true
	if ctx.Err() != nil && u.step.Question == nil {
		return job, nil, context.Cause(ctx)
	}
	if u.step.Once { // the record has to outlive a crash of the machine, too
		if err := u.journal.Sync(); err != nil {
			return job, nil, err
		}
	}
	job = Job{Unit: u.unit, Work: w, Remember: u.remember, Reserve: u.reserve, unit: u}
	if w.Agent != nil || w.Arguments != nil {
		job.Past, err = u.conversation()
	}
	return job, nil, err
}

// prepareBegin renders the step, and prepares the record that it begins; or returns the earlier result, if that is
// kept.
func (u *unit) prepareBegin(ctx context.Context) (p *entry, w *Work, kept *StepResult, err error) {
	w, known, err := u.nextWork(ctx)
	if err == nil && u.passWork != nil {
		w, err = u.passWork(w)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	p = &entry{record: journal.Record{Kind: journal.Began, Unit: u.unit, Label: u.label, Once: u.step.Once}}
	if !known {
		p.data = w
	}
	if u.prepare(p); u.compares && p.failed == nil {
		kept, err = u.keepEarlier(p)
	}
	return p, w, kept, err
}

// nextWork renders the step. A step that continues is not rendered again: its recorded work is
// known. Only if a secret is hidden in that, it is rendered again.
func (u *unit) nextWork(ctx context.Context) (w *Work, known bool, err error) {
	if is := u.soFar(); is.Work != 0 {
		w, hidden, err := u.workAt(is.Work)
		if err != nil {
			return nil, false, err
		}
		if u.step.Agent == nil && u.step.Question == nil && !is.IsAnswered() {
			u.warn("it was running when flow ended, and now runs again: the first attempt may have taken effect, or may still be running")
		}
		if !hidden {
			return u.recordedWork(ctx, w)
		}
	}
	if u.site, err = u.evalEnv(ctx); err == nil {
		w, err = u.site.render(ctx)
	}
	return w, false, err
}

// recordedWork returns recorded work, and sets the site as it was when the work began.
func (u *unit) recordedWork(ctx context.Context, w *Work) (_ *Work, known bool, err error) {
	if u.site, err = u.recordedEnv(w); err != nil || w.Agent == nil {
		return w, true, err
	}
	if known = !u.limited(w); u.exec.Model == "" {
		return w, known, nil
	}
	w, named, err := u.renamed(ctx, w)
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
