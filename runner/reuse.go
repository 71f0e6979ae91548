package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// keepEarlier keeps the result that the unit had before the files changed, if it would do the same work
// again, or if only what failed is to run again.
func (u *unit) keepEarlier(began *entry) (*StepResult, error) {
	same, err := u.isSame(began)
	if err == nil && !same && u.records.OnlyFailed {
		same, err = u.itemAround.isSame(u.exec)
	}
	if err != nil {
		return nil, err
	}
	e := u.earlier
	if same && e.Ended != 0 && e.Status == steps.Succeeded {
		r, err := u.store.result(e)
		if err != nil {
			return nil, err
		}
		r.Unit, r.path, r.Label, r.id = u.unit.WithAttempt(0), u.path, u.label, u.step.ID
		keep := journal.Record{Kind: journal.Decided, About: journal.Keep, Unit: r.Unit, Count: int(e.ResultSeq), Status: steps.Succeeded, Label: u.label}
		u.recordResult(keep, r)
		u.endRecorded = true
		return r, nil
	}
	if u.step.Once && e.Once {
		return nil, onceBegan()
	}
	return nil, nil
}

// isSame reports whether the unit's work is the same as that of its earlier attempt.
func (u *unit) isSame(began *entry) (bool, error) {
	was, now, err := u.parts(began)
	return was != nil && maps.EqualFunc(was, now, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }), err
}

// workParts are the members of a work and of its agent, as JSON.
type workParts map[string]json.RawMessage

// parts returns the work of the unit's earlier attempt, nil if it has none, and the one in an entry.
func (u *unit) parts(began *entry) (was, now workParts, err error) {
	if u.earlier.Work == 0 {
		return nil, nil, nil
	}
	data, err := u.store.dataAt(u.earlier.Work)
	if err != nil {
		return nil, nil, err
	}
	if was, err = partsOf(data, u.anyModel); err == nil {
		now, err = partsOf(u.journal.Data(began.record), u.anyModel)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the work of %q: %w", u.address(), err)
	}
	return was, now, nil
}

// partsOf returns the parts of a work as far as they are compared: with anyModel without its models.
func partsOf(work []byte, anyModel bool) (parts workParts, err error) {
	if parts = (workParts{}); len(work) == 0 {
		return parts, nil
	}
	err = json.Unmarshal(work, &parts)
	if agent := parts["agent"]; err == nil && agent != nil {
		delete(parts, "agent")
		err = json.Unmarshal(agent, &parts) // which adds to them
	}
	if anyModel {
		for _, part := range []string{"models", "models_of", "scripts"} {
			delete(parts, part)
		}
	}
	return parts, err
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
