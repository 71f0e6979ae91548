package runner

import (
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A tally adds up what a unit and everything inside it have used, in all attempts, rounds and
// processes. It is safe for concurrent use.
type tally struct {
	around *tally // of the unit around; nil: it is that of the run

	mu   sync.Mutex
	used steps.Used
}

// add counts for the unit, and for all units around it.
func (t *tally) add(used steps.Used) {
	for ; t != nil; t = t.around {
		t.mu.Lock()
		t.used.Add(used)
		t.mu.Unlock()
	}
}

// sum returns what was used so far.
func (t *tally) sum() steps.Used {
	t.mu.Lock()
	defer t.mu.Unlock()
	return steps.Used{}.Plus(t.used)
}

// unasked returns what is to be added for a conversation, whose answers and calls are counted already:
// that no model was asked, if none was.
func (t *tally) unasked() steps.Used {
	if t.sum().Usage != nil {
		return steps.Used{}
	}
	return steps.Used{Usage: &providers.Usage{}, CostUSD: new(float64)}
}

// newTally returns the tally of a unit, with what earlier processes used in it. Denied calls whose records
// are damaged are not counted, and a warning says so.
func (e *exec) newTally(around *tally, u *history.Unit) *tally {
	t := &tally{around: around}
	if u == nil {
		return t
	}
	used, err := usedBy(&u.Expense, e.recordAt)
	if err != nil {
		e.note(u.Unit, "its earlier usage is not counted: "+err.Error())
	}
	t.used = used
	return t
}

// usedBy returns what a unit has used, with the denied calls, whose records are read.
func usedBy(x *history.Expense, read func(at int64) (journal.Record, []byte, error)) (used steps.Used, err error) {
	used.Add(x.Used)
	if x.UsedAt != 0 {
		before, err := usedIn(x.UsedAt, read)
		if err != nil {
			return used, err
		}
		used.Add(before)
	}
	for _, at := range x.Denied {
		by, err := usedIn(at, read)
		if err != nil {
			return used, err
		}
		used.Denied = append(used.Denied, by.Denied...)
	}
	return used, nil
}

// usedIn returns what a result says that its unit used, or the denial of a call.
func usedIn(at int64, read func(at int64) (journal.Record, []byte, error)) (used steps.Used, err error) {
	of, data, err := read(at)
	if err != nil {
		return used, err
	}
	if of.Kind != journal.CallEnded {
		return used, jsonline.Decode(data, &used)
	}
	var answer steps.CallEnded
	err = jsonline.Decode(data, &answer)
	used.Denied = []steps.Denial{answer.Denial()}
	return used, err
}
