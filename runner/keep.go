package runner

import (
	"bytes"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/plan"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
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
	for ; n.parent != nil; n = n.parent {
		if n.isElement() {
			continue
		}
		if n.parent.anewBefore || n.parent.begunAmong(e.list(n.parent), n.index) {
			return true
		}
	}
	return false
}

// begunAmong reports whether a step has begun again on which the one with that index depends,
// directly or indirectly.
func (n *node) begunAmong(list []*workflows.Step, index int) bool {
	depends := []int{index}
	for k := 0; k < len(depends); k++ {
		on := list[depends[k]].Depends
		if list[depends[k]].If.UsesStatus() {
			on = slices.Concat(on, list[depends[k]].Needs)
		}
		for _, i := range on {
			if inner := n.inner[i]; inner != nil && inner.anew {
				return true
			}
			if !slices.Contains(depends, i) {
				depends = append(depends, i)
			}
		}
	}
	return false
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
