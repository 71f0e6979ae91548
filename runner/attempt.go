package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// An activity is the work of a unit in one attempt, in this process.
type activity struct {
	unit      *unit
	number    int           // of the attempt
	continues bool          // the attempt began before
	compares  bool          // an earlier result counts if the work is still the same
	answered  bool          // it continues because a person has answered
	work      int64         // the offset of its recorded work; 0: there is none
	took      time.Duration // time that earlier processes worked on it

	mu       sync.Mutex
	facts    []int64 // the offsets of the records of its conversation
	ends     []int   // how many of them there were each time that it had ended and continued
	inFlight bool    // a request may have been in flight when the last process ended

	question *journal.Question // the question that it is about to ask
	reply    *journal.Reply    // the answer, if it came in this process
	replied  int64             // the offset of the record with the last answer; 0: there is none
}

// work runs a unit that works itself.
func (u *unit) work() *StepResult {
	ctx, cancel := u.context()
	defer cancel()
	a, s := u.standingNow()
	if s == mayNotBegin {
		u.used = u.usedIn(u.earlier.Used())
		u.start()
		return u.end(u.site.leaf(failed(onceUnknown(u.site.step))))
	}
	act := u.activity(s)
	act.number = a.number
	if r := u.stillWaits(act); r != nil {
		return r
	}
	if u.dry != nil {
		u.gate.pass()
		return u.dry.work(ctx, u, act, s)
	}
	var last *StepResult
	if s == retries {
		u.releaseSlot()
		last = u.lastAttempt(nil)
		if err := u.waitOn(ctx, a); err != nil {
			return u.end(cutShort(u.site.result(), last, err))
		}
	}
	var deadline time.Time
	for {
		act.number = a.number
		r := u.attempt(ctx, act, &deadline)
		switch {
		case r.at != 0: // it is kept
			return r
		case r.Status == steps.Waiting:
			deadline = time.Time{} // its time starts over once it continues
			if r := u.wait(act, r); r != nil {
				return r
			}
			continue
		case last != nil && !r.begun && r.Status == steps.Cancelled:
			return u.end(cutShort(r, last, r.Error))
		}
		u.site.settle(r)
		r.Attempts = a.number
		if r.begun && u.site.step.Once && r.Error != nil { // only a person has it run again
			failure := *r.Error
			failure.Option, r.Error = OptionOnce, &failure
		}
		wait, follows := u.retry(a, r)
		if !follows {
			return u.end(r)
		}
		last = r
		if err := u.sleep(ctx, wait, deadline); err != nil {
			return u.end(cutShort(u.site.result(), last, err))
		}
		act = &activity{unit: u}
	}
}

// activity returns the work of the attempt with which the unit begins or continues.
func (u *unit) activity(s standing) *activity {
	act := &activity{unit: u, compares: s == compares}
	if e := u.earlier; s == continues {
		act.continues, act.work, act.took = true, e.Work, e.Took
		act.facts, act.ends = slices.Clone(e.Facts), e.Ends
		act.replied = u.lastReply()
		act.answered = act.replied != 0 && act.replied == e.Facts[len(e.Facts)-1]
		act.reply = u.replies[u.site.unit.WithAttempt(e.Attempt)]
	}
	return act
}

// lastReply returns the offset of the answer that an earlier process recorded; 0: there is none.
func (u *unit) lastReply() int64 {
	for _, at := range slices.Backward(u.earlier.Facts) {
		if r, _, err := u.recordAt(at); err == nil && r.Kind == journal.Answered {
			return at
		} else if err == nil && r.Kind != journal.Asked {
			break
		}
	}
	return 0
}

// sleep waits before another attempt, but not beyond the time that the unit has left. An error says
// why it has ended before.
func (u *unit) sleep(ctx context.Context, wait time.Duration, deadline time.Time) error {
	ctx, cancel := u.bound(ctx, deadline)
	defer cancel()
	if !providers.Sleep(ctx, wait) {
		return context.Cause(ctx)
	}
	return nil
}

// bound returns a context limited to the time that the unit and its workflow have left.
func (u *unit) bound(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := u.site.timeLeft.bound(ctx)
	if deadline.IsZero() {
		return ctx, cancel
	}
	inner, cancelInner := context.WithDeadlineCause(ctx, deadline, timeIsUp(u.site.step.Timeout))
	return inner, func() { cancelInner(); cancel() }
}

// attempt runs one attempt, or a part of it until it waits for a person, as soon as it has a slot.
func (u *unit) attempt(ctx context.Context, act *activity, deadline *time.Time) *StepResult {
	u.gate.pass()
	t := u.site.attempt(act.number)
	t.act = act
	waiting, cancel := u.bound(ctx, *deadline)
	defer cancel()
	if act.isAnswered(t) {
		waiting = u.base
	}
	err := u.acquire(waiting)
	if cause := u.stop(); err == nil && cause != nil && !act.isAnswered(t) {
		u.release(false)
		err = cause
	}
	if err != nil {
		return act.halted(t, steps.Interrupted(err))
	}
	if limit := u.site.step.Timeout; limit > 0 && deadline.IsZero() && u.site.step.Question == nil {
		*deadline = time.Now().Add(limit)
	}
	working, cancelWork := u.bound(ctx, *deadline)
	defer cancelWork()
	working = WithCaller(working, Caller{t.unit, t.in.recipe()})
	r := t.guarded(func() *StepResult { return act.run(working, t) })
	u.release(r.Status == steps.Waiting)
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
func (act *activity) isAnswered(t *site) bool {
	return t.step.Question != nil && (act.reply != nil || act.replied != 0)
}

// acquire waits for the place of the element around, if that was given up, and for a slot. Meanwhile it
// holds no slot, which whoever has the place may need.
func (u *unit) acquire(ctx context.Context) error {
	if err := u.place.begin(ctx, u.releaseSlot); err != nil {
		return err
	}
	if u.site.step.Question != nil {
		return nil
	}
	if u.ticket == nil {
		u.ticket = u.slots.ticket()
	}
	err := u.ticket.wait(ctx)
	if err != nil {
		u.release(false)
	}
	return err
}

// halted returns the result of an attempt that does nothing more, with what it has used.
func (act *activity) halted(t *site, end steps.Result) *StepResult {
	r := t.leaf(end)
	r.Used = act.unit.usedIn(act.facts)
	return r
}

// run begins or continues the attempt, and runs it.
func (act *activity) run(ctx context.Context, t *site) *StepResult {
	if ctx.Err() != nil && !act.isAnswered(t) {
		return act.halted(t, steps.Interrupted(context.Cause(ctx)))
	}
	begun := false
	job, kept, err := act.begin(ctx, t, &begun)
	if kept != nil {
		return kept
	}
	var done steps.Result
	if err == nil {
		done, err = act.unit.do(ctx, job)
	}
	r := t.leaf(done)
	if err != nil {
		r = act.halted(t, unprepared(ctx, err))
		act.unit.start()
	}
	r.begun, r.isOnce = begun, t.step.Once
	return r
}

// begin renders the step, records what it is about to do, and returns that; or the earlier result,
// if that is kept.
func (act *activity) begin(ctx context.Context, t *site, begun *bool) (job Job, kept *StepResult, err error) {
	u := act.unit
	if err := u.site.keepAnswers(); err != nil {
		return job, nil, err
	}
	t.kept = u.site.kept
	t, w, known, err := act.render(ctx, t)
	if err == nil && u.passWork != nil {
		w, err = u.passWork(w)
	}
	if err != nil {
		return job, nil, err
	}
	p := &entry{fact: journal.Record{Kind: journal.Began, Unit: t.unit, Label: t.label, Once: t.step.Once}}
	if !known {
		p.data = w
	}
	u.prepare(p)
	if act.compares && p.failed == nil {
		if kept, err := act.keep(t, p); kept != nil || err != nil {
			return job, kept, err
		}
	}
	u.start()
	at := u.append(p)
	if *begun = true; p.data != nil {
		act.work = at.At
	}
	if ctx.Err() != nil && t.step.Question == nil {
		return job, nil, context.Cause(ctx)
	}
	if t.step.Once { // the record has to outlive a crash of the machine, too
		if err := u.journal.Sync(); err != nil {
			return job, nil, err
		}
	}
	job = Job{Unit: t.unit, Work: w, Remember: t.remember, Reserve: t.reserve, site: t}
	if w.Agent != nil || w.Arguments != nil {
		job.Past, err = act.past()
	}
	return job, nil, err
}

// render renders the step. A step that continues is not rendered again: its recorded work is
// known. Only if a secret is hidden in that, it is rendered again.
func (act *activity) render(ctx context.Context, t *site) (_ *site, w *Work, known bool, err error) {
	if act.continues && act.work != 0 {
		data, err := act.unit.dataAt(act.work)
		if err != nil {
			return nil, nil, false, lostOwn(err)
		}
		if t.step.Agent == nil && t.step.Question == nil && !act.answered {
			t.warn("it was running when flow ended, and now runs again: the first attempt may have taken effect, or may still be running")
		}
		if !journal.Hidden(data) {
			return t.recordedWork(ctx, data)
		}
	}
	if t, err = t.settled(ctx); err == nil {
		w, err = t.render(ctx)
	}
	return t, w, false, err
}

// lostOwn returns the error for a unit that can't continue without its own recorded data, and
// can start over.
func lostOwn(err error) error {
	if LostUnit(err).IsZero() {
		return err
	}
	return &steps.Error{Kind: steps.KindOf(err), Message: err.Error(), Option: OptionFrom, Err: err}
}

// recordedWork returns recorded work, and the step's site as it was when the work began.
func (t *site) recordedWork(ctx context.Context, data []byte) (_ *site, w *Work, known bool, err error) {
	if w, err = decodeWork(data); err != nil {
		return nil, nil, false, err
	}
	t, err = t.restored(w.Folder, w.Variables, w.Given)
	if err != nil || w.Agent == nil {
		return t, w, true, err
	}
	known = !t.limited(w)
	if t.run.Model == "" {
		return t, w, known, nil
	}
	w, named, err := t.renamed(ctx, w)
	return t, w, known && named, err
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

// keep keeps the result that the unit had before the files changed, if it would do the same work
// again, or if only what failed is to run again.
func (act *activity) keep(t *site, began *entry) (*StepResult, error) {
	u := act.unit
	same, err := act.isSame(began)
	if err == nil && !same && u.exec.earlier.onlyFailed {
		same, err = u.item.isSame(u.exec)
	}
	if err != nil {
		return nil, err
	}
	e := u.earlier
	if same && e.Ended != 0 && e.Status == journal.Succeeded {
		r, err := u.store.result(e)
		if err != nil {
			return nil, err
		}
		r.Unit, r.path, r.label, r.id = t.unit.WithAttempt(0), t.path, t.label, t.step.ID
		fact := journal.Record{Kind: journal.Decided, About: journal.Keep, Unit: r.Unit, Count: int(e.Worked), Status: journal.Succeeded, Label: t.label}
		u.record(fact, r)
		r.done.worked = e.Worked
		u.endRecorded = true
		return r, nil
	}
	if t.step.Once && e.Once {
		return nil, onceBegan()
	}
	return nil, nil
}

// isSame reports whether the unit's work is the same as that of its earlier attempt.
func (act *activity) isSame(began *entry) (bool, error) {
	u := act.unit
	if u.earlier.Work == 0 {
		return false, nil
	}
	now, err := u.journal.Data(began.fact)
	if err != nil {
		return false, err
	}
	was, err := u.dataAt(u.earlier.Work)
	if err != nil {
		return false, err
	}
	sums := [2][sha256.Size]byte{}
	for i, work := range [][]byte{now, was} {
		if u.exec.earlier.anyModel {
			if work, err = withoutModels(work); err != nil {
				return false, fmt.Errorf("the work of %q: %w", u.address(), err)
			}
		}
		sums[i] = sha256.Sum256(work)
	}
	return sums[0] == sums[1], nil
}

// withoutModels returns work without the models that it asks.
func withoutModels(work []byte) ([]byte, error) {
	var all, agent map[string]json.RawMessage
	if err := json.Unmarshal(work, &all); err != nil || all["agent"] == nil {
		return work, err
	}
	if err := json.Unmarshal(all["agent"], &agent); err != nil {
		return nil, err
	}
	for _, member := range []string{"models", "models_of", "scripts"} {
		delete(agent, member)
	}
	var err error
	if all["agent"], err = json.Marshal(agent); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// past returns the conversation so far of an attempt that continues.
func (act *activity) past() (p steps.Past, err error) {
	act.mu.Lock()
	facts := slices.Clone(act.facts)
	act.mu.Unlock()
	p.Worked = act.took
	asked := map[string]steps.Pending{}
	for i, at := range facts {
		if slices.Contains(act.ends, i) {
			p.Facts = append(p.Facts, steps.Fact{Ended: true})
		}
		r, data, err := act.unit.recordAt(at)
		if err != nil {
			return p, lostOwn(err)
		}
		f, err := factIn(r, data, asked)
		if err != nil {
			return p, fmt.Errorf("record %d: %w", r.Seq, err)
		}
		if f != nil {
			p.Facts = append(p.Facts, *f)
		}
	}
	if len(facts) > 0 && slices.Contains(act.ends, len(facts)) {
		p.Facts = append(p.Facts, steps.Fact{Ended: true})
	}
	if last := len(p.Facts) - 1; last >= 0 && act.unit.earlier != nil && act.unit.earlier.Ended == 0 {
		act.inFlight = p.Facts[last].Said == nil && p.Facts[last].Call == nil && p.Facts[last].Told == nil
	}
	return p, nil
}

// factIn returns the fact in a record of a conversation; nil if it only says that a call waits.
func factIn(r journal.Record, data []byte, asked map[string]steps.Pending) (f *steps.Fact, err error) {
	f = &steps.Fact{}
	var into any = f
	switch r.Kind {
	case journal.Said:
		f.Said = &steps.Said{}
		into = f.Said
	case journal.Called:
		f.Call = &steps.Intent{}
		into = f.Call
	case journal.Answer:
		f.Answer = &steps.CallAnswer{}
		into = f.Answer
	case journal.Asked, journal.Answered:
		if f.Told, err = approval(asked, r, data); f.Told == nil {
			return nil, err
		}
		return f, err
	}
	return f, json.Unmarshal(data, into)
}

// remember records a fact of the step's conversation.
func (t *site) remember(f steps.Fact) {
	fact := journal.Record{Unit: t.unit}
	var data any = f
	switch {
	case f.Said != nil:
		fact.Kind, data = journal.Said, f.Said
		fact.Spent = t.in.worthOf(f.Said.Used)
		for _, used := range f.Said.Used {
			if _, known := t.in.price(used.Model, used.Usage); !known {
				fact.Unpriced = append(fact.Unpriced, used.Model)
			}
		}
		slices.Sort(fact.Unpriced)
		fact.Unpriced = slices.Compact(fact.Unpriced)
	case f.Call != nil:
		fact.Kind, fact.Call, data = journal.Called, f.Call.ID, f.Call
	case f.Answer != nil:
		fact.Kind, fact.Call, fact.Status, data = journal.Answer, f.Answer.ID, journal.Status(f.Answer.Status), f.Answer
	default:
		fact.Kind, fact.About = journal.Decided, journal.Inner
	}
	t.act.record(fact, data)
}

// record records a fact of the attempt, and counts what it says was spent.
func (act *activity) record(fact journal.Record, data any, events ...untold) *journal.Record {
	u := act.unit
	p := &entry{fact: fact, data: data, events: events}
	p.also = func() {
		u.site.account.take(&p.fact)
		if data != nil {
			act.mu.Lock()
			act.facts, act.inFlight = append(act.facts, p.fact.At), false
			act.mu.Unlock()
		}
	}
	return u.append(p)
}

// An itemAround is the item of an element around a unit.
type itemAround struct {
	around *itemAround
	item   any
	list   int64 // the offset of the list that an earlier process went through; 0: there is none
	index  int
}

// isSame reports whether every element around had the same item in the earlier process.
func (i *itemAround) isSame(e *exec) (bool, error) {
	for ; i != nil; i = i.around {
		if i.list == 0 {
			return false, nil
		}
		items, err := e.store.items(i.list)
		if err != nil || i.index >= len(items) {
			return false, err
		}
		is, err := jsonline.Encode(i.item)
		if err != nil {
			return false, err
		}
		was, err := jsonline.Encode(items[i.index])
		if err != nil || !bytes.Equal(is, was) {
			return false, err
		}
	}
	return true, nil
}
