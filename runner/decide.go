package runner

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// decide evaluates an expression, once, and records the outcome.
func (e *engine) decide(a *activity) {
	r := a.site.guarded(func() *StepResult {
		switch a.task.About {
		case journal.If:
			return e.decideIf(a)
		case journal.Elements:
			return e.decideElements(a)
		}
		return e.judge(a)
	})
	if r != nil && !e.dry.assumes(a, r.Error) {
		r.forgive = false // it is a mistake in the file, and no failure of work
		e.end(a, &a.task, r)
	}
}

// decideIf evaluates the condition of a step.
func (e *engine) decideIf(a *activity) (failed *StepResult) {
	stands := a.task.Stands
	holds, err := a.site.step.If.Holds(a.site.names(a.ctx, workflows.Env{
		"success": func() bool { return stands },
		"failure": func() bool { return !stands },
		"always":  func() bool { return true },
	}))
	if err != nil {
		return a.site.leaf(unprepared(a.ctx, mistake("if", err)))
	}
	e.append(a.node, &a.task, journal.Record{Kind: journal.Decided, About: journal.If, Unit: a.task.Unit, Holds: holds}, nil)
	return nil
}

// decideElements evaluates the list of a foreach, and which elements are left out.
func (e *engine) decideElements(a *activity) (failed *StepResult) {
	t, n := a.site, a.node
	all, err := t.elements(a.ctx)
	if err != nil {
		return t.leaf(unprepared(a.ctx, mistake("foreach", err)))
	}
	leftOut, err := t.leaveOut(a.ctx, all)
	if err != nil {
		return t.leaf(unprepared(a.ctx, mistake("when", err)))
	}
	fact := journal.Record{Kind: journal.Decided, About: journal.Elements, Unit: a.task.Unit, Count: len(all), LeftOut: leftOut}
	e.appendIf(n, e.isDue(&a.task), fact, journal.List{LeftOut: journal.Ranges(leftOut), Items: all}, func() {
		n.elements.items = all
		e.untold = append(e.untold, n.fanStarted())
	})
	e.tellAll()
	return nil
}

// fanStarted returns the event of a foreach that begins or is resumed.
func (n *node) fanStarted() untold {
	f := n.elements
	count := f.count - len(f.leftOut)
	event := Event{StepKind: string(n.step.Kind), Items: &count, LeftOut: len(f.leftOut), Event: steps.Event{Type: StepStarted}}
	for i, over := range f.over {
		if reason, failed := f.reasons[i]; failed {
			event.Earlier.fails(reason)
		} else if active := f.active[i]; over.is() && (active == nil || !active.owed) {
			event.Earlier.Succeeded++
		}
	}
	return untold{n.site, event}
}

// judge evaluates the until of a group.
func (e *engine) judge(a *activity) (ended *StepResult) {
	inside, err := e.scopeOf(a.node)
	holds := false
	if err == nil {
		holds, err = a.site.step.Group.Until.Holds(inside.names(a.ctx, nil))
	}
	if err == nil {
		e.append(a.node, &a.task, journal.Record{Kind: journal.Decided, About: journal.Until, Unit: a.task.Unit, Count: a.task.Round, Holds: holds}, nil)
		return nil
	}
	if e.dry.assumes(a, err) {
		return nil
	}
	r := e.gathered(a)
	if a.ctx.Err() != nil {
		r.interrupt(context.Cause(a.ctx))
	} else {
		r.Status, r.StopReason = steps.Failed, steps.ReasonError
		r.Error = &steps.Error{Kind: steps.KindInvalidWorkflow, Message: fmt.Sprintf("until: %v", err), Err: err}
	}
	e.settle(a, &a.task, r)
	return nil
}

func (e *engine) scopeOf(n *node) (*scope, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.scopeIn(n)
}

// close records the end of a unit that does not begin, or not again.
func (e *engine) close(a *activity) {
	cause := e.causeOf(a.node, a.task.Stopped)
	end := steps.Interrupted(cause)
	switch {
	case a.task.Status == journal.Skipped:
		end = steps.Result{Status: steps.Skipped}
	case a.task.Status == journal.Failed:
		end = failed(onceUnknown(a.task))
	}
	if a.node.retried && a.task.Status == journal.Cancelled {
		e.cutShort(a, end)
	} else {
		e.halt(a, e.halted(a, end))
	}
}

// halt ends a unit without another attempt.
func (e *engine) halt(a *activity, r *StepResult) {
	e.addEarlier(a.node, r)
	e.end(a, &a.task, r)
}

// halted returns the result of an attempt that does nothing more, with what it used.
func (e *engine) halted(a *activity, end steps.Result) *StepResult {
	e.mu.Lock()
	facts := a.node.facts
	e.mu.Unlock()
	sum, err := e.usedIn(a.node.unit, facts)
	if err != nil {
		end = failed(err)
	}
	r := a.site.leaf(end)
	r.Used = sum
	return r
}

// cutShort ends a unit that failed and can't be tried again any more, with what its attempts
// used.
func (e *engine) cutShort(a *activity, end steps.Result) {
	r := e.halted(a, end)
	last, err := e.restore(keptResult{at: a.node.before}, a.node.step, true)
	if err != nil {
		e.halt(a, a.site.leaf(failed(err)))
		return
	}
	used := r.Used
	r.Result, r.Attempts, r.Rounds = last.Result, last.Attempts, last.Rounds
	r.Used = used
	r.Status, r.StopReason = end.Status, end.StopReason
	r.Error = &steps.Error{
		Kind: end.Error.Kind, Message: fmt.Sprintf("%s, before another attempt: %s", end.Error.Message, last.Error.Message),
		Hint: end.Error.Hint, Option: end.Error.Option, Err: end.Error,
	}
	e.halt(a, r)
}

// rest waits until another attempt may begin.
func (e *engine) rest(a *activity) {
	ctx, cancel := a.bound()
	defer cancel()
	left := min(time.Until(time.UnixMilli(a.task.UntilMilli)), time.Duration(a.task.MostMilli)*time.Millisecond)
	if !providers.Sleep(ctx, left) {
		if a.ctx.Err() == nil { // the time is up
			e.cutShort(a, steps.Interrupted(context.Cause(ctx)))
		}
		return
	}
	e.append(a.node, &a.task, journal.Record{Kind: journal.Decided, About: journal.Rested, Unit: a.task.Unit}, nil)
}

// elements evaluates the step's foreach: an array, or a map as its entries,
// sorted by key.
func (t *site) elements(ctx context.Context) ([]any, error) {
	value, err := t.step.Foreach.Eval(t.names(ctx, nil))
	if err != nil {
		return nil, err
	}
	list := reflect.ValueOf(value)
	switch list.Kind() {
	case reflect.Slice, reflect.Array:
		if list.Len() > journal.MaxElements {
			return nil, fmt.Errorf("%d elements; the limit is 1,000,000", list.Len())
		}
		items := make([]any, list.Len())
		for i := range items {
			items[i] = list.Index(i).Interface()
		}
		return items, nil
	case reflect.Map:
		return entries(list), nil
	}
	return nil, fmt.Errorf("expected a list or a map, got %s", t.run.describe(value))
}

// leaveOut returns the indexes of the elements for which the step's when does not hold.
func (t *site) leaveOut(ctx context.Context, all []any) (left []int, err error) {
	if t.step.When == nil {
		return nil, nil
	}
	names := t.names(ctx, nil)
	for i, item := range all {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		names[t.step.As], names["index"] = item, i
		holds, err := t.step.When.Holds(names)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		if !holds {
			left = append(left, i)
		}
	}
	return left, nil
}

// entries returns the entries of a map, sorted by their keys.
func entries(m reflect.Value) []any {
	items := make([]any, 0, m.Len())
	for key, value := range m.Seq2() {
		items = append(items, map[string]any{"key": key.String(), "value": value.Interface()})
	}
	slices.SortFunc(items, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["key"].(string), b.(map[string]any)["key"].(string))
	})
	return items
}

func (r *run) describe(value any) string {
	switch value := value.(type) {
	case nil:
		return "nothing"
	case string:
		return fmt.Sprintf("the text %.60q", r.Mask.String(value))
	}
	return fmt.Sprintf("%.60s", r.Mask.String(Text(value)))
}
