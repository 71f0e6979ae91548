package runner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A foreach runs a step for each element of a list, at most max_parallel of them at once.
type foreach struct {
	*unit
	items   []any
	onList  frontier // the elements depend on the list
	results *elements

	inner       *site // of the elements, but for what is each one's own
	fail        context.CancelCauseFunc
	places      *slots  // for elements
	turn        *ticket // of the next element; nil: none is to begin
	todo        []int   // elements that are to run, in order
	open        int     // elements that have begun and not ended
	elementEnds chan elementEnd

	recalled bool // an earlier process did some of the elements
	failures int
	closed   bool // no other element begins
	failed   bool // because one failed
	cause    error
	waiting  []*StepResult // elements that wait for a person
	unknown  bool          // in a dry run: an element would run again
}

// An elementEnd says that an element has ended, or waits for a person.
type elementEnd struct {
	index  int
	place  *place
	result *StepResult
}

// foreach runs the unit's step for each element of its list.
func (u *unit) foreach() *StepResult {
	f := &foreach{unit: u, places: newSlots(max(u.step.MaxParallel, 1)), elementEnds: make(chan elementEnd)}
	if r := f.decideList(); r != nil {
		return r
	}
	defer u.openBudget(u.earlier.HasElements() && u.earlier.List == f.results.List)()
	f.inner, _ = u.narrowed(0)
	f.inner.around, f.fail = context.WithCancelCause(f.inner.around)
	f.inner.unended, f.inner.beside = f.inner.around, f.inner.around
	f.recallAll()
	for granted := f.beginMore(); f.open > 0; granted = f.beginMore() {
		f.barrier.leave()
		select {
		case end := <-f.elementEnds: // it has entered for this goroutine
			f.hear(end)
		case <-granted:
			f.barrier.enter() // which is open: before that, an element gives its place back only when it ends
		}
	}
	if len(f.waiting) == 0 { // else they may be withdrawn later, with the cause of that
		defer f.fail(nil)
	}
	return f.conclude()
}

// decideList evaluates the list and which elements are left out, unless an earlier process did.
func (f *foreach) decideList() *StepResult {
	u, e := f.unit, f.earlier
	f.results = &elements{store: u.store, unit: u.address(), mask: u.Mask}
	if e.HasElements() && u.stands(e.List, u.on.decided) {
		items, err := u.store.items(e.List.At)
		if err == nil && len(items) != e.Count {
			err = fmt.Errorf("%d of %d elements are in the journal", len(items), e.Count)
		}
		if err != nil {
			u.breaks(err)
			return u.resultOf(failed(err))
		}
		f.items = items
		f.setList()
		return nil
	}
	if e.Once && e.HasElements() && u.stands(e.List, 0) {
		if u.barrier.pass(); u.barred() == nil {
			return u.finish(u.resultOf(failed(onceListed(u.step))))
		}
	}
	var leftOut []int
	all, end := decide(u, "foreach", u.barred, nil, func(ctx context.Context) (all []any, err error) {
		if all, err = u.elements(ctx); err == nil {
			leftOut, err = u.leaveOut(ctx, all)
		}
		return all, err
	})
	if end != nil {
		return u.undecided(end)
	}
	f.items = all
	u.append(&entry{
		record: journal.Record{Kind: journal.Decided, About: journal.Elements, Unit: u.address(), Count: len(all), LeftOut: leftOut},
		data:   journal.List{LeftOut: journal.Ranges(leftOut), Items: all},
	})
	f.setList()
	return nil
}

// setList sets the list, which is recorded, with none of the elements ended.
func (f *foreach) setList() {
	f.results.Foreach, f.results.items, f.results.ended = f.historyOf(f.address()).Foreach, f.items, make([]bool, len(f.items))
	f.onList = frontier{decided: f.results.List.Seq, worked: f.on.worked}
}

// earlierElement returns what earlier processes did of an element.
func (f *foreach) earlierElement(i int) *history.Unit {
	return f.historyOfElement(f.earlier, i)
}

// recallAll takes the results of elements that count, and begins nothing. It emits that the foreach begins
// or is resumed.
func (f *foreach) recallAll() {
	count := f.results.count()
	event := Event{Unit: f.address(), StepKind: string(f.step.Kind), Items: &count, LeftOut: len(f.results.LeftOut), Event: steps.Event{Type: StepStarted}}
	for i := range f.items {
		if f.results.isLeftOut(i) {
			continue
		}
		e := f.earlierElement(i)
		s, stale := f.standing(e, f.step.Works(), f.onList)
		if s != counts {
			f.todo = append(f.todo, i)
			continue
		}
		if stale {
			f.noteOnce(f.address().WithElement(i))
		}
		f.recallElement(i, e, &event.Earlier)
	}
	f.told = true
	f.noteBegin(time.Now())
	f.tell(event)
}

// recallElement takes the result of an element that counts.
func (f *foreach) recallElement(i int, e *history.Unit, counts *ElementCounts) {
	f.recalled = true
	f.results.put(i, nil)
	if f.dry != nil {
		f.dry.keepElement(f.results, i)
	}
	good := e.Status == steps.Succeeded
	if good {
		counts.Succeeded++
	} else {
		counts.fails(e.ErrorKind)
	}
	f.takeEnd(good || f.isEndedByBudget(e), e.Fatal, beside(e.ErrorKind))
}

// beginMore begins elements in their order, as long as there are places. It returns what is closed when there
// is one for the next element; nil if none is to begin.
func (f *foreach) beginMore() (granted <-chan struct{}) {
	for next := f.next(); next >= 0; next = f.next() {
		if f.turn == nil {
			f.turn = f.places.ticket()
		}
		select {
		case <-f.turn.granted:
		default:
			return f.turn.granted
		}
		f.beginElement(f.todo[next])
		if next > 0 {
			f.todo = slices.Delete(f.todo, next, next+1)
		} else {
			f.todo = f.todo[1:]
		}
	}
	f.turn.release()
	f.turn = nil
	return nil
}

// next returns which of the elements that are to run is the next one; -1: none. If no other one
// begins, those that had begun still end.
func (f *foreach) next() int {
	if len(f.todo) == 0 {
		return -1
	}
	if !f.closed && f.barred() == nil {
		return 0
	}
	return slices.IndexFunc(f.todo, func(i int) bool {
		return f.earlierElement(i).IsOpen()
	})
}

func (f *foreach) beginElement(i int) {
	e := f.earlierElement(i)
	t := f.inner.element(i, f.items[i])
	t.place = &place{around: f.place, slots: f.places, ticket: f.turn}
	t.itemAround = &itemAround{around: f.itemAround, item: f.items[i], index: i, list: e.Listed}
	u := &unit{site: t, earlier: e, on: f.onList, needsMet: true, isElement: true}
	f.turn = nil
	f.open++
	u.launch(func(r *StepResult) { f.elementEnds <- elementEnd{i, t.place, r} })
}

// hear applies that an element has ended, or waits for a person.
func (f *foreach) hear(end elementEnd) {
	f.open--
	end.place.leave()
	if end.result.Status == steps.Waiting {
		f.waiting = append(f.waiting, end.result)
		return
	}
	f.take(end.index, end.result)
}

// take applies that an element has ended.
func (f *foreach) take(i int, r *StepResult) {
	f.exec.mu.Lock() // elements beside it are recorded meanwhile
	f.results.put(i, r)
	f.exec.mu.Unlock()
	f.unknown = f.unknown || r.unknown
	f.takeEnd(r.Status == steps.Succeeded || r.Error != nil && r.Error.Continues, r.fatal, beside(kindOf(r.Error)))
}

// takeEnd applies that an element has ended. If it failed, and the others don't go on after that,
// they end as well.
func (f *foreach) takeEnd(good, fatal bool, cause error) {
	if good {
		return
	}
	f.failures++
	step := f.step
	if f.cause != errUsedUp {
		f.cause = cause
	}
	if fatal || !step.OnError.GoesOn() {
		f.closed, f.failed = true, true
		f.fail(f.cause)
	}
	if step.MaxFailures.Exceeded(f.failures, f.results.count()) {
		f.closed = true
	}
}

// withdraw ends the elements that wait for a person, and the foreach.
func (f *foreach) withdraw() *StepResult {
	for _, element := range f.waiting {
		i, _ := element.Unit.Element()
		f.take(i, element.withdraw())
	}
	f.waiting = nil
	return f.conclude()
}

// conclude makes the result of the foreach.
func (f *foreach) conclude() *StepResult {
	u := f.unit
	r := u.result()
	r.unknown = f.unknown
	if len(f.waiting) > 0 {
		r.Status, r.tolerated = steps.Waiting, u.step.OnError.GoesOn()
		r.inner, r.withdraw = f.waiting, f.withdraw
		if f.failed {
			r.inner = append(r.inner, f.failedElements()...)
		}
		return r
	}
	interrupted, cause := f.ending()
	never := steps.Interrupted(cause)
	f.results.never, f.results.interrupted = &never, interrupted
	r.elements = f.results
	if err := r.sumUp(u.step); err != nil {
		return u.finish(u.resultOf(failed(err)))
	}
	if f.recalled && f.results.Hide() {
		u.note(u.address(), "its result is kept, with *** in place of secrets")
	}
	return u.finish(r)
}

// ending returns why elements never began, and whether the run or a unit around was ended.
func (f *foreach) ending() (interrupted bool, cause error) {
	if cause = f.stop(); cause != nil {
		kind := steps.CauseError(cause)
		return kind != errSibling && kind != errUsedUp, cause
	}
	if f.failed {
		return false, f.cause
	}
	if cause = f.barred(); cause != nil && !f.closed {
		return false, cause
	}
	return false, errTooMany
}

// failedElements returns the results of the elements that failed.
func (f *foreach) failedElements() (failed []*StepResult) {
	for i := range f.items {
		if r, err := f.results.resultOf(i); err == nil && r != nil && r.Status != steps.Succeeded {
			failed = append(failed, &r.StepResult)
		}
	}
	return failed
}
