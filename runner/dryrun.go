package runner

import (
	"cmp"
	"context"
	"errors"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/past"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A dryRun has an engine walk through what is due without doing it: a unit that would work is
// noted, and ends as if it had succeeded. What it would have said is unknown to all that comes
// after it. Nil is that of an engine that works. e.mu guards it.
type dryRun struct {
	e      *engine
	before past.Run // of the records that are there
	Preview

	again map[journal.Unit]bool // units that are noted, and those around them; true: they run for certain
	ended map[journal.Unit]bool // units with no others inside them that end in the walk
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
	e.drive(ctx)
	if err := cmp.Or(context.Cause(ctx), e.broken); err != nil {
		return err
	}
	for _, w := range e.waitsOf(journal.Unit{}) {
		if w.At == 0 {
			continue // it is asked in the walk, and its unit is noted
		}
		is, err := e.readWait(w)
		if err != nil {
			return err
		}
		d.Waiting = append(d.Waiting, is)
	}
	for u := range d.before.Top.All(true) {
		worked := len(u.Steps) == 0 && u.Fan == nil && u.Ended != 0 && u.Status != journal.Skipped && u.Status != journal.Cancelled
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

func plainUnit(u journal.Unit) journal.Unit { return u.Without(journal.AttemptMarks) }

// inPlaceOf returns what is done in place of a task.
func (d *dryRun) inPlaceOf(do func(*activity)) func(*activity) {
	return func(a *activity) {
		switch begins := a.task.Do == plan.Begin || a.task.Do == plan.GoOn; {
		case a.site == nil:
			d.e.endRun(&a.task, &Result{Status: steps.Failed})
		case a.task.Do == plan.Rest:
			d.e.append(a.node, &a.task, journal.Record{Kind: journal.Decided, About: journal.Rested, Unit: a.task.Unit}, nil)
		case begins && a.node.works():
			if r := a.site.guarded(func() *StepResult { return d.work(a) }); r != nil {
				d.e.end(a, nil, r)
			}
		case begins && d.opens(a, a.site.in.unknown):
		case a.task.Do == plan.Decide && d.assumes(a, a.site.in.unknown):
		default:
			do(a)
		}
	}
}

// contextOf returns the context of a task. If something for which its unit waits would run again, files
// are not known in it.
func (d *dryRun) contextOf(a *activity) context.Context {
	d.e.mu.Lock()
	defer d.e.mu.Unlock()
	if on := d.e.dependsOn(a.node, true, d.isNoted); on != nil {
		return context.WithValue(d.e.base, unknownFiles{}, unknown(on))
	}
	return d.e.base
}

type unknownFiles struct{}

// known returns an error if the files are not known in the reader's context.
func (r *reader) known() error {
	err, _ := r.ctx.Value(unknownFiles{}).(error)
	return err
}

// work notes a unit that would work, and returns the result that it is taken to have; nil if it has
// none, or has ended already.
func (d *dryRun) work(a *activity) *StepResult {
	e, t := d.e, a.site
	kept, differs, err := d.keeps(a)
	switch {
	case err != nil:
		return t.leaf(failed(err))
	case kept:
		return nil
	}
	r := steps.Result{Status: steps.Succeeded, StopReason: steps.ReasonCompleted}
	if t.step.Question != nil {
		r = t.answered()
	}
	d.noteWork(a, t.step.Question != nil && r.Status != steps.Waiting, differs)
	e.append(a.node, &a.task, journal.Record{Kind: journal.Began, Unit: a.task.Unit, Label: t.label, Once: t.step.Once}, nil)
	if r.Status == steps.Waiting {
		e.append(a.node, nil, journal.Record{Kind: journal.Asked, Unit: a.task.Unit}, nil)
		return nil
	}
	return t.leaf(r)
}

// keeps reports whether the result is kept that the unit had before the files changed. If it is
// not, and would have been with the same work, differs says what differs.
func (d *dryRun) keeps(a *activity) (kept bool, differs []string, err error) {
	e, t := d.e, a.site
	if e.old == nil || a.task.Do != plan.Begin || t.in.unknown != nil {
		return false, nil, nil
	}
	t, w, _, err := e.render(a.ctx, a)
	if err != nil {
		if errors.As(err, new(*unknownStep)) {
			err = nil
		}
		return false, nil, err
	}
	began := &appending{fact: journal.Record{Kind: journal.Began, Unit: a.task.Unit, Label: t.label}}
	began.encode(w)
	if e.prepare(began); began.failed != nil {
		return false, nil, began.failed
	}
	if kept, err = e.keep(a, t, began.fact); err == nil && !kept {
		differs, err = e.old.differences(t.unit, began.fact)
	}
	if kept {
		e.mu.Lock()
		defer e.mu.Unlock()
		d.Kept++
	}
	return kept, differs, err
}

// opens begins a unit with others inside it that can't be opened because something is unknown: the
// inputs of a used workflow, or where a group works. It reports whether err is about that.
func (d *dryRun) opens(a *activity, err error) bool {
	var about *unknownStep
	if d == nil || !errors.As(err, &about) {
		return false
	}
	t, used := a.site.attempt(a.task.Unit.Attempt()), (*instance)(nil)
	if t.step.Use != nil {
		used = t.in.used(t.step.Use.Workflow)
		used.unknown = about
	}
	began := journal.Record{Kind: journal.Began, Unit: a.task.Unit, Label: t.label}
	d.e.appendIf(a.node, d.e.isDue(&a.task), began, nil, func() { a.node.settled, a.node.used = t, used })
	return true
}

// assumes decides what can't be decided because something is unknown, and notes it: a condition
// does not hold, a list is empty, and no further round follows. It reports whether err is about
// that.
func (d *dryRun) assumes(a *activity, err error) bool {
	var about *unknownStep
	if d == nil || !errors.As(err, &about) {
		return false
	}
	key := map[journal.About]string{journal.If: "if", journal.Elements: "foreach", journal.Until: "until"}[a.task.About]
	d.e.mu.Lock()
	d.note(a.node, PreviewedUnit{Why: WhyUnknown, Unknown: key, DependsOn: about.path})
	d.e.mu.Unlock()
	fact := journal.Record{Kind: journal.Decided, About: a.task.About, Unit: a.task.Unit, Count: a.task.Round, Holds: a.task.About == journal.Until}
	d.e.append(a.node, &a.task, fact, nil)
	return true
}

// ends applies that a unit ends in the walk. One that fails would fail without having worked.
func (d *dryRun) ends(n *node, r *StepResult) {
	if d == nil {
		return
	}
	d.e.mu.Lock()
	defer d.e.mu.Unlock()
	r.unknown = d.isNoted(n)
	if r.inner != nil || r.elements != nil && r.elements.count > 0 {
		return
	}
	if d.ended[plainUnit(n.unit)] = true; r.Status == steps.Failed {
		d.Warnings = append(d.Warnings, n.unit.String()+" would fail: "+r.Error.Message)
	}
}

// isAgain reports whether something in a unit is noted.
func (d *dryRun) isAgain(n *node) bool {
	if d == nil {
		return false
	}
	d.e.mu.Lock()
	defer d.e.mu.Unlock()
	return d.isNoted(n)
}

// isNoted is isAgain while e.mu is held.
func (d *dryRun) isNoted(n *node) bool {
	_, noted := d.again[plainUnit(n.unit)]
	return noted
}

func (d *dryRun) isCertain(n *node) bool { return d.again[plainUnit(n.unit)] }

// note adds a unit. e.mu is held.
func (d *dryRun) note(n *node, u PreviewedUnit) {
	u.Unit, u.Kind, u.Label = plainUnit(n.unit), n.step.Kind, n.labelAround()
	d.Units = append(d.Units, u)
	for at := n; at.parent != nil; at = at.parent {
		if at.isFan() && at.elements != nil {
			d.Elements[plainUnit(at.unit).String()] = at.elements.count - len(at.elements.leftOut)
		}
		if u.Kind == workflows.KindAsk && u.Why == WhyAnswered {
			continue // what it comes to is known
		}
		d.again[plainUnit(at.unit)] = d.isCertain(at) || u.Why != WhyUnknown
	}
}

// noteWork adds a unit that would work.
func (d *dryRun) noteWork(a *activity, answered bool, differs []string) {
	e, n, u := d.e, a.node, PreviewedUnit{Why: WhyNew}
	e.mu.Lock()
	defer e.mu.Unlock()
	before := cmp.Or(d.before.Top.At(n.unit), &past.Unit{})
	if a.task.Do == plan.GoOn && n.step.Agent != nil {
		u.Turns = before.Turns
	}
	own := Why("")
	if before.Unit == n.unit { // and not of another round, or attempt of what is around it
		own = ownWhy(before)
	}
	worked := before.Ended != 0 && (before.Status == journal.Succeeded || !before.Began.IsZero())
	switch on := cmp.Or(e.dependsOn(n, false, d.isCertain), e.dependsOn(n, false, d.isNoted)); {
	case before.Anew || among(e.Resume.From, n.unit):
		u.Why = WhyFrom
	case answered || n.answered:
		u.Why = WhyAnswered
	case own == WhyFailed || own == WhyStopped:
		u.Why, u.ErrorKind = own, before.Reason
	case own != "":
		u.Why = own
	case worked && on != nil:
		u.Why, u.DependsOn = WhyDepends, on.unit.Path()
	case differs != nil:
		u.Why, u.Changed = WhyChanged, differs
	case worked && n.parent.anewBefore:
		u.Why, u.DependsOn = WhyDepends, n.parent.unit.Path() // the round before
	}
	d.note(n, u)
}

// ownWhy returns the reason that a unit has in itself to run again; "" if it has none.
func ownWhy(u *past.Unit) Why {
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
	d.e.mu.Lock()
	defer d.e.mu.Unlock()
	d.Warnings = append(d.Warnings, text)
}

// An unknownStep is the error of an expression that reads a step, or files, before a step has run
// again.
type unknownStep struct{ path string }

func (u *unknownStep) Error() string { return "it is not known before " + u.path + " has run again" }

func unknown(n *node) error { return &unknownStep{n.unit.Path()} }
