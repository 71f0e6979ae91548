package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	e  *exec
	mu sync.Mutex
	Preview
}

// walk walks through the run.
func (d *dryRun) walk(ctx context.Context) error {
	e := d.e
	if err := e.resume(); err != nil {
		return invalidRun(err)
	}
	e.walk(ctx)
	if err := cmp.Or(context.Cause(ctx), e.broken); err != nil {
		return err
	}
	waits, err := ReadWaits(e.journal.Reader, e.records.Waits, e.store.steps)
	noted := map[journal.Address]bool{} // the units that begin
	for _, p := range d.Units {
		noted[p.Unit] = true
	}
	d.Waiting = slices.DeleteFunc(waits, func(w Wait) bool { return noted[w.Unit.WithoutAttempts()] })
	return err
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
	if d == nil || u.waitsFor == "" {
		return ctx
	}
	return context.WithValue(ctx, unknownFiles{}, error(&unknownStep{u.waitsFor}))
}

// work notes a unit that would work, and returns the result that it is taken to have.
func (d *dryRun) work(ctx context.Context, u *unit, s standing) *StepResult {
	var differs []string
	if u.compares && u.in.unknown == nil {
		kept, changed, err := d.compare(ctx, u)
		switch {
		case err != nil:
			return u.finish(u.resultOf(failed(err)))
		case kept != nil:
			d.keep(1)
			return kept
		}
		differs = changed
	}
	answered := u.isAnswered() || u.soFar().IsAnswered() || u.reply != nil
	d.note(u, d.reason(u, s, answered, differs))
	r := steps.Result{Status: steps.Succeeded, StopReason: steps.ReasonCompleted}
	if u.step.Question != nil {
		r = u.answered()
	}
	result := u.resultOf(r)
	if result.unknown = u.step.Question == nil || r.Status == steps.Waiting; r.Status == steps.Waiting {
		return result
	}
	return u.finish(result)
}

// compare returns the result that the unit had before the files changed, if that is kept. If it is
// not, and would have been with the same work, differs says what differs.
func (d *dryRun) compare(ctx context.Context, u *unit) (kept *StepResult, differs []string, err error) {
	began, _, kept, err := u.prepareBegin(ctx)
	switch {
	case d.isUnknown(err):
		return nil, nil, nil
	case kept == nil && err == nil:
		differs, err = u.differences(began)
	}
	return kept, differs, err
}

// keep counts results that are kept.
func (d *dryRun) keep(n int) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Kept += n
}

// keepAll counts the results in one that is kept.
func (d *dryRun) keepAll(r *StepResult) {
	switch {
	case d == nil || r.Status == steps.Skipped || r.Status == steps.Cancelled:
	case r.elements != nil:
		for _, index := range r.elements.Indexes() {
			d.keepElement(r.elements, index)
		}
	case r.inner != nil:
		for _, inner := range r.inner {
			d.keepAll(inner)
		}
	default:
		d.keep(1)
	}
}

// keepElement counts an element that is kept, or the results inside it.
func (d *dryRun) keepElement(of *elements, index int) {
	_, inner, _ := of.RecordsOf(index)
	if of.store.kindOf(of.unit.Path()) == workflows.KindPrompt {
		inner = nil // what is inside its calls is a part of it
	}
	d.keep(max(len(inner), 1))
}

// assumes reports whether something can't be decided because of err, which is that something is
// unknown, and notes it: a condition does not hold, a list is empty, and no further round follows.
func (d *dryRun) assumes(u *unit, key string, err error) bool {
	var about *unknownStep
	if d == nil || !errors.As(err, &about) {
		return false
	}
	u.assumed = true
	d.note(u, PreviewedUnit{Why: WhyUnknown, Unknown: key, DependsOn: about.path})
	return true
}

// ends applies that a unit ends in the walk. One that fails would fail without having worked.
func (d *dryRun) ends(u *unit, r *StepResult) {
	if d == nil {
		return
	}
	if r.unknown = r.unknown || u.assumed; r.Status != steps.Failed || r.inner != nil || r.elements != nil && r.elements.count() > 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Warnings = append(d.Warnings, fmt.Sprintf("step %q would fail: %s", u.address(), r.Error.Message))
}

// note adds a unit, and how many elements each foreach around it has.
func (d *dryRun) note(u *unit, p PreviewedUnit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p.Unit, p.Kind, p.Label = u.address().WithoutAttempts(), u.step.Kind, cmp.Or(u.label, u.labelAround)
	d.Units = append(d.Units, p)
	for at := p.Unit; !at.IsZero(); at = at.Parent() {
		foreach := at.WithElement(-1)
		if is := d.e.historyOf(foreach); foreach != at && is.HasElements() {
			d.Elements[foreach.String()] = is.Count - len(is.LeftOut)
		}
	}
}

// reason returns why a unit would work.
func (d *dryRun) reason(u *unit, s standing, answered bool, differs []string) (p PreviewedUnit) {
	is := u.earlier
	if s == continues && u.step.Agent != nil {
		if p.Turns = is.Turns; is.Ended != 0 && (is.ErrorKind == steps.KindLimit || is.IsContinued() && is.ErrorKind == steps.KindBudget) {
			p.Turns-- // the last one was for the result at the limit
		}
	}
	switch own := ownWhy(is); {
	case is.Anew || among(d.e.Resume.From, u.address()):
		p.Why = WhyFrom
	case answered:
		p.Why = WhyAnswered
	case own != "":
		if p.Why = own; own != WhyCutOff {
			p.ErrorKind = is.ErrorKind
		}
	case differs != nil:
		p.Why, p.Changed = WhyChanged, differs
	case is.Ended != 0 && is.Status == steps.Succeeded || u.again:
		p.Why, p.DependsOn = WhyDepends, cmp.Or(u.waitsFor, u.address().Parent().Path()) // or on the round before
	default:
		p.Why = WhyNew
	}
	return p
}

// ownWhy returns the reason that a unit has in itself to run again; "" if it has none.
func ownWhy(u *history.Unit) Why {
	switch {
	case u.IsOpen() || u.Status == steps.Cancelled && !u.Began.IsZero():
		return WhyCutOff
	case u.Status == steps.Failed:
		return WhyFailed
	case u.Status == steps.Stopped:
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
