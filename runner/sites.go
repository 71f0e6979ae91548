package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// find returns the node of a unit and its site, which is nil for the run.
func (e *engine) find(u journal.Unit) (*node, *site, error) {
	e.mu.Lock()
	n := e.node(u)
	t, err := e.siteOf(n)
	e.mu.Unlock()
	if err == nil && n.isElement() && !t.labelled {
		t.labelled, t.label = true, t.called(e.base, t.item) // may read files
	}
	return n, t, err
}

// siteOf returns the site of a unit. e.mu is held.
func (e *engine) siteOf(n *node) (t *site, err error) {
	switch {
	case n.site != nil || n.step == nil:
		return n.site, nil
	case n.isElement():
		around, err := e.siteOf(n.parent)
		if err != nil {
			return nil, err
		}
		items, err := e.items(n.parent.elements)
		if err != nil {
			return nil, err
		}
		n.site = around.element(n.index, items[n.index])
	default:
		inside, err := e.scopeIn(n.parent)
		if err != nil {
			return nil, err
		}
		n.site = inside.site(n.step)
	}
	n.site.node = n
	return n.site, nil
}

// scopeIn returns the scope of the steps inside a unit, with the results of those that have
// ended. e.mu is held.
func (e *engine) scopeIn(n *node) (*scope, error) {
	if n.inside != nil {
		return n.inside, nil
	}
	inside := e.top.scope(e.run)
	if n.step != nil {
		t, err := e.siteOf(n)
		if err != nil {
			return nil, err
		}
		if n.settled == nil {
			if n.settled, err = e.settledAgain(n, t.attempt(n.attempt)); err != nil {
				return nil, err
			}
		}
		t = n.settled
		if inside = t.inside(); n.step.Use != nil {
			if err := e.relink(n, t); err != nil {
				return nil, err
			}
			inside = t.entering(n.used)
		} else if n.step.Repeats() {
			inside = inside.again(n.round)
		}
	}
	for inner := range n.within() {
		if !inner.over.is() {
			continue
		}
		r, err := e.resultOf(inner)
		if err != nil {
			return nil, err
		}
		inside.known.add(r)
	}
	n.inside = inside
	return inside, nil
}

// settledAgain returns the site of a group, or of a step that uses a workflow, as it was when
// its attempt began.
func (e *engine) settledAgain(n *node, t *site) (*site, error) {
	if n.work == 0 || !t.movesAway() {
		return t.settled(e.base)
	}
	w, hidden, err := e.insideWorkOf(n)
	if err != nil {
		return nil, err
	}
	if w.Folder == "" || hidden { // an older version wrote it, or secrets are hidden in it
		return t.settled(e.base)
	}
	return t.restored(w.Folder, w.Variables, w.Given)
}

// relink links the workflow that a step uses again, with the recorded inputs.
func (e *engine) relink(n *node, t *site) error {
	if n.used != nil {
		return nil
	}
	given, _, err := e.insideWorkOf(n)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.base), time.Minute)
	defer cancel()
	n.used, err = t.linkWith(ctx, given.Inputs)
	return err
}

// insideWorkOf reads the recorded work of a unit with steps inside.
func (e *engine) insideWorkOf(n *node) (w insideWork, hidden bool, err error) {
	data, err := e.dataAt(n.work)
	if err != nil {
		return w, false, err
	}
	if err := jsonline.Decode(data, &w); err != nil {
		return w, false, fmt.Errorf("where and with what %q works: %w", n.unit, err)
	}
	return w, journal.Hidden(data), nil
}

// insideWork is the work of a group with its own folder or variables, or of a step that uses
// a workflow: where it works, and its inputs.
type insideWork struct {
	Kind      string            `json:"kind"`
	Folder    string            `json:"folder,omitempty"`
	Variables []string          `json:"variables,omitempty"`
	Given     map[string]string `json:"given,omitempty"`
	Inputs    map[string]any    `json:"inputs,omitempty"`
}

func (t *site) insideWork(inputs map[string]any) insideWork {
	return insideWork{string(t.step.Kind), t.in.relative(t.at.workspace), t.at.names, t.at.given, inputs}
}

// resultOf returns the result of a step that has ended. e.mu is held.
func (e *engine) resultOf(n *node) (r *StepResult, err error) {
	if n.result == nil {
		if n.result, err = e.restore(n.over, n.step, n.isElement()); err == nil {
			e.warnOfSecrets(n, n.result)
		}
	}
	return n.result, err
}

// results returns the results of the steps inside a unit, in the file's order. All of them
// have ended.
func (e *engine) results(n *node) (all []*StepResult, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for inner := range n.within() {
		r, err := e.resultOf(inner)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// addEarlier adds to the result of a unit what its earlier attempts and rounds used, and work
// that was left midway and begun anew.
func (e *engine) addEarlier(n *node, r *StepResult) {
	offsets := append(slices.Clip(n.left), n.before)
	for _, over := range n.rounds {
		offsets = append(offsets, over.at)
	}
	sum, err := e.usedIn(n.unit, offsets)
	if err != nil {
		e.lost(fmt.Sprintf("attempts of step %q", n.unit.Path()), err)
	}
	r.Used = sum.Plus(r.Used)
}

// usedIn returns what the records at these offsets say that a unit used; 0 is none. If such
// data is lost it is not counted, and a warning says so.
func (e *engine) usedIn(of journal.Unit, offsets []int64) (sum steps.Used, err error) {
	count := pastCount{from: e.journal.Reader}
	said := int64(0)
	for _, at := range offsets {
		if at == 0 {
			continue
		}
		used, err := count.usedAt(at, &said)
		var damaged *journal.Error
		switch {
		case errors.As(err, &damaged):
			e.note(of, "its earlier usage is not counted: "+damaged.Error())
		case err != nil:
			return sum, err
		}
		sum.Add(used)
	}
	return sum, nil
}

// tellStart emits that a unit begins, in this process, and bounds its time.
func (e *engine) tellStart(n *node, t *site) {
	if n.told {
		return
	}
	n.told = true
	e.mu.Lock()
	e.begins(n, time.Now())
	e.setTimer(n)
	e.mu.Unlock()
	e.tell(t, Event{StepKind: string(t.step.Kind), Item: t.itemText(), Label: t.label, Event: steps.Event{Type: StepStarted}})
}
