package runner

import (
	"bytes"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
)

// keep keeps the result that the unit had before the files changed, if it would do the same
// work again, or only what failed is to run again, and nothing that it depends on has begun since.
// It reports whether it did, or the unit does not begin for another reason.
func (e *engine) keep(a *activity, t *site, began journal.Record) (kept bool, err error) {
	if e.old == nil || a.task.Do != plan.Begin {
		return false, nil
	}
	sum, _, err := e.old.sum(began)
	if err != nil {
		return false, err
	}
	anyWork := false
	if e.onlyFailed {
		if anyWork, err = e.sameItems(a.node); err != nil {
			return false, err
		}
	}
	e.mu.Lock()
	unit := t.unit.WithAttempt(0)
	var old *oldUnit
	named := among(e.anew, unit)
	if !a.node.anew && !named && !e.dependsOnNew(a.node) {
		if old = e.old.find(unit, sum, anyWork); old != nil {
			old.kept = true
		}
	}
	e.mu.Unlock()
	if old != nil {
		return true, e.keepOf(a, t, old)
	}
	if t.step.Once && !named && e.old.began(unit, sum) {
		return false, onceBegan()
	}
	return false, nil
}

// sameItems reports whether every element that a unit is, or is inside of, had the same item before the
// files changed.
func (e *engine) sameItems(n *node) (bool, error) {
	for ; n.parent != nil; n = n.parent {
		if !n.isElement() {
			continue
		}
		items, err := e.items(n.parent.elements)
		if err != nil {
			return false, err
		}
		is, err := jsonline.Encode(items[n.index])
		if err != nil {
			return false, err
		}
		was, err := e.old.item(n.parent.unit, n.index)
		if err != nil || !bytes.Equal(is, was) {
			return false, err
		}
	}
	return true, nil
}

// keepOf records that the earlier result of a unit is kept.
func (e *engine) keepOf(a *activity, t *site, old *oldUnit) error {
	r, err := e.restore(keptResult{at: old.used[0]}, t.step, true)
	if err != nil {
		return err
	}
	r.Unit, r.path, r.label = t.unit.WithAttempt(0), t.path, t.label
	fact := journal.Record{Kind: journal.Decided, About: journal.Keep, Unit: r.Unit, Count: int(old.ended), Status: journal.Succeeded, Label: t.label}
	e.appendEnd(a.node, &a.task, fact, r, nil)
	return nil
}

// dependsOnNew reports whether a step has begun since the files changed on which a unit, or
// something around it, depends. e.mu is held.
func (e *engine) dependsOnNew(n *node) bool {
	for at := n; at.parent != nil; at = at.parent {
		if !at.isElement() && at.parent.anewBefore {
			return true
		}
	}
	return e.dependsOn(n, false, func(on *node) bool { return on.anew }) != nil
}

// dependsOn returns a step of that kind on which a unit, or something around it, depends or, with
// waits, for which it waits; nil if there is none. e.mu is held.
func (e *engine) dependsOn(n *node, waits bool, is func(*node) bool) *node {
	for ; n.parent != nil; n = n.parent {
		if n.isElement() {
			continue
		}
		if on := e.dependsAt(n, waits, is); on != nil {
			return on
		}
	}
	return nil
}

// dependsAt is dependsOn for a step and the others of its list. It returns the nearest one.
func (e *engine) dependsAt(n *node, waits bool, is func(*node) bool) *node {
	list := e.list(n.parent)
	waits = waits || n.step.If.UsesStatus()
	all := []int{n.index}
	for k := 0; k < len(all); k++ {
		on := list[all[k]].Depends
		if waits || list[all[k]].If.UsesStatus() {
			on = slices.Concat(on, list[all[k]].Needs)
		}
		for _, i := range on {
			if inner := n.parent.inner[i]; inner != nil && is(inner) {
				return inner
			}
			if !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
	}
	return nil
}

// unkept returns what work has used whose result is not kept: it was paid for.
func (e *engine) unkept() (steps.Used, error) {
	if e.old == nil {
		return steps.Used{}, nil
	}
	var offsets []int64
	for _, u := range e.old.all() {
		if !u.kept {
			offsets = append(offsets, u.used...)
		}
	}
	return e.usedIn(journal.Unit{}, offsets)
}

func onceBegan() error {
	return &steps.Error{
		Kind: steps.KindTool, Message: "once: not rerun, because it had started before the files changed",
		Option: OptionOnce,
	}
}
