package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// keep keeps the result that the unit had before the files changed, if it would do the same work
// again, or if only what failed is to run again.
func (a *attempt) keep(began *entry) (*StepResult, error) {
	u := a.of
	same, err := a.isSame(began)
	if err == nil && !same && u.replay.onlyFailed {
		same, err = u.itemAround.isSame(u.exec)
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
		r.Unit, r.path, r.Label, r.id = a.unit.WithAttempt(0), a.path, a.label, a.step.ID
		fact := journal.Record{Kind: journal.Decided, About: journal.Keep, Unit: r.Unit, Count: int(e.Worked), Status: journal.Succeeded, Label: a.label}
		u.record(fact, r)
		u.endRecorded = true
		return r, nil
	}
	if a.step.Once && e.Once {
		return nil, onceBegan()
	}
	return nil, nil
}

// isSame reports whether the unit's work is the same as that of its earlier attempt.
func (a *attempt) isSame(began *entry) (bool, error) {
	u := a.of
	if u.earlier.Work == 0 {
		return false, nil
	}
	was, err := u.dataAt(u.earlier.Work)
	if err != nil {
		return false, err
	}
	sums := [2][sha256.Size]byte{}
	for i, work := range [][]byte{u.journal.Data(began.fact), was} {
		if u.replay.anyModel {
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
