package runner

import (
	"math"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// The history of the run takes each record as it is written, under e.mu. What it says of a unit before that
// begins in this process is a copy of its own fields, which shares what is inside it: that changes only by
// records of the unit itself and from inside of it.

// takeIn takes a record into the history. In a dry run, which writes none, it is newer than all others.
func (e *exec) takeIn(r *journal.Record) {
	if e.dry != nil {
		r.Seq = math.MaxInt64
	}
	e.records.Take(r)
}

// historyOfStep returns what the records say of a step inside a unit.
func (e *exec) historyOfStep(around *history.Unit, name string) *history.Unit {
	return e.copied(func() *history.Unit { return around.Steps[name] })
}

// historyOfElement is historyOfStep for an element of a foreach, or a call of a tool.
func (e *exec) historyOfElement(foreach *history.Unit, index int) *history.Unit {
	return e.copied(func() *history.Unit { return foreach.ElementOf(index) })
}

// historyOf returns what the records say of a unit by now.
func (e *exec) historyOf(u journal.Address) *history.Unit {
	return e.copied(func() *history.Unit { return e.unitAt(u) })
}

// copied returns a copy of a unit, of the zero Unit if the records say nothing of it.
func (e *exec) copied(find func() *history.Unit) *history.Unit {
	e.mu.Lock()
	defer e.mu.Unlock()
	is := history.Unit{}
	if u := find(); u != nil {
		is = *u
	}
	return &is
}

// unitAt returns a unit, also an element that has succeeded; nil: the records say nothing of it.
func (e *exec) unitAt(u journal.Address) *history.Unit {
	if is := e.records.Top.At(u); is != nil {
		return is
	}
	if index, element := u.Element(); element {
		if of := e.records.Top.At(u.WithElement(-1)); of != nil {
			return of.ElementOf(index)
		}
	}
	return nil
}

// expense returns a copy of what a unit has used by now.
func (e *exec) expense(unit journal.Address) (x history.Expense) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if u := e.unitAt(unit); u != nil {
		x = u.Expense
		x.Used = steps.Used{}.Plus(x.Used)
	}
	return x
}

// done returns how far a unit has come, for what depends on it.
func (e *exec) done(unit journal.Address) (f frontier) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if u := e.records.Top.At(unit); u != nil {
		f.decided, f.worked = u.Done()
	}
	return f
}

// used returns what a unit and everything inside it have used, in all attempts, rounds and processes. Denied
// calls whose records are damaged are not counted, and a warning says so.
func (e *exec) used(unit journal.Address) steps.Used {
	used, err := usedBy(e.expense(unit), e.store.recordAt)
	if err != nil {
		e.note(unit, "its earlier usage is not counted: "+err.Error())
	}
	return used
}

// usedBy returns what a unit has used, with the denied calls, whose records are read.
func usedBy(x history.Expense, read func(at int64) (journal.Record, []byte, error)) (used steps.Used, err error) {
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

// waitsOf returns what an attempt waits for.
func (e *exec) waitsOf(attempt journal.Address) history.Waits {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.records.Waits.Of(attempt)
}

// unasked returns what is to be added for a conversation, whose answers and calls are counted already:
// that no model was asked, if none was.
func (u *unit) unasked() steps.Used {
	if u.expense(u.address()).Used.Usage != nil {
		return steps.Used{}
	}
	return steps.Used{Usage: &providers.Usage{}, CostUSD: new(float64)}
}
