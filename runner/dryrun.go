package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A dryRun has an exec walk through a run without doing anything: a unit that would work is noted,
// and ends as if it had succeeded. What it would have said is unknown to all that comes after it.
// Nil is that of an exec that works.
type dryRun struct {
	e      *exec
	before history.Run // of the records that are there

	mu sync.Mutex
	Preview
	again  map[journal.Unit]bool // units that are noted, and those around them; true: they run for certain
	ended  map[journal.Unit]bool // units with no others inside them that end in the walk
	counts map[journal.Unit]int  // of the elements of each foreach
}

// walk walks through the run.
func (d *dryRun) walk(ctx context.Context) error {
	e := d.e
	for r, err := range e.journal.Records() {
		if err != nil {
			return invalidRun(err)
		}
		d.before.Take(&r)
	}
	if err := e.resume(); err != nil {
		return invalidRun(err)
	}
	e.walk(ctx)
	if err := cmp.Or(context.Cause(ctx), e.broken); err != nil {
		return err
	}
	waits, err := ReadWaits(e.journal.Reader, e.replay.Waits, e.store.steps)
	if err != nil {
		return err
	}
	d.Waiting = slices.DeleteFunc(waits, func(w Wait) bool { return d.isNoted(w.Unit) })
	for u := range d.before.Top.All(true) {
		worked := (len(u.Steps) == 0 && u.Foreach == nil || u.Converses()) && u.Caller() == nil && u.Ended != 0 && u.Status != journal.Skipped && u.Status != journal.Cancelled
		if worked && !e.Resume.Changed && !d.endsAround(u.Unit) { // changed units are counted as they are compared
			d.Kept++
		}
	}
	return nil
}

// endsAround reports whether a unit, or one around it, ends in the walk with no others inside it.
func (d *dryRun) endsAround(u journal.Unit) bool {
	for at := plainUnit(u); !at.IsZero(); at = at.Parent() {
		if d.ended[at] || d.ended[at.WithElement(-1)] {
			return true
		}
	}
	return false
}

func plainUnit(u journal.Unit) journal.Unit { return u.WithoutAttempts() }

// A stepAt is where a unit stands among others, for the reasons of a dry run.
type stepAt struct {
	list   *list
	index  int
	around *stepAt // of the unit around the list; nil: there is none
}

// dependsOn returns the path of a step of that kind on which a unit, or one around it, depends or,
// with waits, for which it waits; "" if there is none.
func (at *stepAt) dependsOn(waits bool, is func(journal.Unit) bool) string {
	for ; at != nil; at = at.around {
		if path := at.list.nearest(at.index, waits, is); path != "" {
			return path
		}
	}
	return ""
}

// nearest is [stepAt.dependsOn] for a step and the others of its list. It returns the nearest one.
func (l *list) nearest(i int, waits bool, is func(journal.Unit) bool) string {
	waits = waits || l.steps[i].If.UsesStatus()
	all := []int{i}
	seen := map[int]bool{i: true}
	for k := 0; k < len(all); k++ {
		on := l.steps[all[k]].Depends
		if waits || l.steps[all[k]].If.UsesStatus() {
			on = append(on[:len(on):len(on)], l.steps[all[k]].Needs...)
		}
		for _, j := range on {
			if r := l.results[j]; r != nil && is(r.Unit) {
				return r.path
			}
			if !seen[j] {
				seen[j] = true
				all = append(all, j)
			}
		}
	}
	return ""
}

type unknownFiles struct{}

// known returns an error if the files are not known in the reader's context.
func (r *reader) known() error {
	err, _ := r.ctx.Value(unknownFiles{}).(error)
	return err
}

// contextOf returns the context of a unit. If something for which it waits would run again, files are
// not known in it.
func (d *dryRun) contextOf(u *unit, ctx context.Context) context.Context {
	if d == nil {
		return ctx
	}
	if path := u.at.dependsOn(true, d.isNoted); path != "" {
		return context.WithValue(ctx, unknownFiles{}, error(&unknownStep{path}))
	}
	return ctx
}

// work notes a unit that would work, and returns the result that it is taken to have.
func (d *dryRun) work(ctx context.Context, u *unit, act *activity, s standing) *StepResult {
	t := u.site.attempt(u.number)
	t.act = act
	var differs []string
	if act.compares && t.in.unknown == nil {
		kept, changed, err := d.keeps(ctx, act, t)
		switch {
		case err != nil:
			return u.end(t.leaf(failed(err)))
		case kept != nil:
			return kept
		}
		differs = changed
	}
	answered := act.isAnswered(t) || act.recorded().IsAnswered() || act.reply != nil
	d.noteWork(u, act, s, answered, differs)
	r := steps.Result{Status: steps.Succeeded, StopReason: steps.ReasonCompleted}
	if t.step.Question != nil {
		r = t.answered()
	}
	result := t.leaf(r)
	if result.unknown = t.step.Question == nil || r.Status == steps.Waiting; r.Status == steps.Waiting {
		return result
	}
	return u.end(result)
}

// keeps returns the result that the unit had before the files changed, if that is kept. If it is
// not, and would have been with the same work, differs says what differs.
func (d *dryRun) keeps(ctx context.Context, act *activity, t *site) (kept *StepResult, differs []string, err error) {
	t, w, _, err := act.render(ctx, t)
	if errors.As(err, new(*unknownStep)) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	began := &entry{fact: journal.Record{Kind: journal.Began, Unit: t.unit, Label: t.label}, data: w}
	if d.e.prepare(began); began.failed != nil {
		return nil, nil, began.failed
	}
	if kept, err = act.keep(t, began); kept == nil && err == nil {
		differs, err = act.differences(began)
	}
	if kept != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.Kept++
	}
	return kept, differs, err
}

// assumes reports whether something can't be decided because of err, which is that something is
// unknown, and notes it: a condition does not hold, a list is empty, and no further round follows.
func (d *dryRun) assumes(u *unit, key string, err error) bool {
	var about *unknownStep
	if d == nil || !errors.As(err, &about) {
		return false
	}
	d.note(u, PreviewedUnit{Why: WhyUnknown, Unknown: key, DependsOn: about.path})
	return true
}

// ends applies that a unit ends in the walk. One that fails would fail without having worked.
func (d *dryRun) ends(u *unit, r *StepResult) {
	if d == nil || r.inner != nil || r.elements != nil && r.elements.count() > 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended[plainUnit(u.address())] = true; r.Status == steps.Failed {
		d.Warnings = append(d.Warnings, fmt.Sprintf("step %q would fail: %s", u.address(), r.Error.Message))
	}
}

// isNoted reports whether something in a unit is noted.
func (d *dryRun) isNoted(u journal.Unit) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, noted := d.again[plainUnit(u)]
	return noted
}

func (d *dryRun) isCertain(u journal.Unit) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.again[plainUnit(u)]
}

// listed keeps how many elements a foreach has.
func (d *dryRun) listed(u *unit, count int) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts[plainUnit(u.address())] = count
}

// note adds a unit.
func (d *dryRun) note(at *unit, u PreviewedUnit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u.Unit, u.Kind, u.Label = plainUnit(at.address()), at.site.step.Kind, cmp.Or(at.site.label, at.label)
	d.Units = append(d.Units, u)
	around := func(unit journal.Unit) {
		if count, is := d.counts[unit]; is {
			d.Elements[unit.String()] = count
		}
		if u.Kind != workflows.KindAsk || u.Why != WhyAnswered { // else what it comes to is known
			d.again[unit] = d.again[unit] || u.Why != WhyUnknown
		}
	}
	for unit := u.Unit; !unit.IsZero(); unit = unit.Parent() {
		around(unit)
		if _, element := unit.Element(); element {
			around(unit.WithElement(-1))
		}
	}
}

// noteWork adds a unit that would work.
func (d *dryRun) noteWork(at *unit, act *activity, s standing, answered bool, differs []string) {
	u := PreviewedUnit{Why: WhyNew}
	address := at.address()
	before := cmp.Or(d.before.Top.At(address), &history.Unit{})
	if s == continues && at.site.step.Agent != nil {
		if u.Turns = before.Turns; before.Ended != 0 && (before.Reason == string(steps.KindLimit) || before.IsContinued() && before.Reason == string(steps.KindBudget)) {
			u.Turns-- // the last one was for the result at the limit
		}
	}
	own := Why("")
	if before.Unit == address { // and not of another round, or attempt of what is around it
		own = ownWhy(before)
	}
	worked := before.Ended != 0 && (before.Status == journal.Succeeded || !before.Began.IsZero())
	on := cmp.Or(at.at.dependsOn(false, d.isCertain), at.at.dependsOn(false, d.isNoted))
	switch {
	case before.Anew || among(d.e.Resume.From, address):
		u.Why = WhyFrom
	case answered:
		u.Why = WhyAnswered
	case own == WhyFailed || own == WhyStopped:
		u.Why, u.ErrorKind = own, before.Reason
	case own != "":
		u.Why = own
	case worked && on != "":
		u.Why, u.DependsOn = WhyDepends, on
	case differs != nil:
		u.Why, u.Changed = WhyChanged, differs
	case worked && at.at != nil && at.at.list.after.end == math.MaxInt64:
		u.Why, u.DependsOn = WhyDepends, address.Parent().Path() // the round before
	}
	d.note(at, u)
}

// ownWhy returns the reason that a unit has in itself to run again; "" if it has none.
func ownWhy(u *history.Unit) Why {
	switch {
	case u.IsOpen() || u.Status == journal.Cancelled && !u.Began.IsZero():
		return WhyCutOff
	case u.Status == journal.Failed:
		return WhyFailed
	case u.Status == journal.Stopped:
		return WhyStopped
	}
	return ""
}

// hear keeps a warning.
func (d *dryRun) hear(event Event) {
	if event.Type != steps.Warning {
		return
	}
	text := event.Message
	if event.Event.Error != "" {
		text += ": " + event.Event.Error
	}
	if !event.Unit.IsZero() {
		text = event.Unit.String() + ": " + text
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Warnings = append(d.Warnings, text)
}

// An unknownStep is the error of an expression that reads a step, or files, before a step has run
// again.
type unknownStep struct{ path string }

func (u *unknownStep) Error() string { return "it is not known before " + u.path + " has run again" }

// errUnknownInputs is why nothing can be decided in a used workflow whose inputs are not known.
var errUnknownInputs = &unknownStep{"what its inputs are made of"}

// isUnknown reports whether an error is that something is unknown.
func (d *dryRun) isUnknown(err error) bool { return d != nil && errors.As(err, new(*unknownStep)) }
