package history

import (
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// An Expense is what a unit and everything inside it have used, in all attempts, rounds and processes.
type Expense struct {
	Used     steps.Used   // without the calls that were denied
	Denied   []int64      // the offsets of the records whose data has these
	InFlight tools.Amount // what requests may have used that were in flight when a process was killed

	// UsedAt is the offset of a result of the unit, an element that had succeeded, that has what was
	// used until then; 0: Used has everything.
	UsedAt int64
}

// pay counts what a record says was used, in the unit and in all around it.
func (u *Unit) pay(r *journal.Record) {
	if r.Used == nil {
		for ; u != nil && r.Spent != (tools.Amount{}); u = u.Around {
			u.InFlight = u.InFlight.Plus(r.Spent)
		}
		return
	}
	denied := 0
	if r.Used.ToolCalls > 0 && (r.Status == steps.Status(tools.Denied) || r.ErrorKind == steps.KindDenied) { // of a model, or of a step that is one call
		denied = 1
	}
	by := CountsOf(*r.Used)
	by.Denied = denied
	u.Own = u.Own.Plus(by)
	for ; u != nil; u = u.Around {
		if u.Used.Add(*r.Used); denied > 0 {
			u.Denied = append(u.Denied, r.At)
		}
	}
}

// Counts returns the counts of the unit and everything inside it.
func (e *Expense) Counts() Counts {
	c := CountsOf(e.Used)
	c.Denied = len(e.Denied)
	return c
}

// Spent returns what was used, and what may have been, as an amount.
func (e *Expense) Spent() tools.Amount { return e.Used.Amount().Plus(e.InFlight) }
