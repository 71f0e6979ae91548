package view

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A reading is a run that is read from its journal: its history, and what people see beside that. It
// needs only the heads of records, and reads the data of the few that are shown.
type reading struct {
	*Past // as of the last end of the journal
	run   history.Run
	from  *journal.Reader
	tail  *journal.Tail
	also  func(*history.Unit, journal.Record) // is called with each record and its unit; nil: nothing is
	steps map[string]journal.Step             // by their paths; known at the end

	warned []string
	costly []*Unit // those that have ended
	broken string  // what is wrong with the journal: what comes after that is not taken
}

// openReading opens the folder of a run, whose reader the caller closes.
func openReading(dir string) (*reading, error) {
	from, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	return &reading{Past: &Past{}, from: from, tail: from.Tail()}, nil
}

// read reads the journal on, to its end.
func (f *reading) read() error {
	for r, err := range f.tail.More() {
		if f.broken != "" {
			break
		}
		if err == nil {
			err = f.take(&r)
		}
		if err != nil && f.run.Began.IsZero() {
			return err
		}
		if err != nil {
			f.broken = err.Error()
		}
	}
	if f.run.Began.IsZero() {
		_, err := f.from.First()
		return err
	}
	return f.close()
}

func (f *reading) take(r *journal.Record) error {
	u := f.run.Take(r)
	if f.also != nil {
		f.also(u, *r) // a copy, so that the record of each turn stays on the stack
	}
	switch {
	case r.Kind == journal.Warned && r.Unit.IsZero(): // those of units are shown with the units
		return f.warn(r)
	case u == nil:
	case history.IsEnd(r):
		f.costs(&f.costly, u, r.Time)
	}
	return nil
}

// The most that is read and shown of a run.
const (
	maxWarned = 10
	maxCostly = 5
)

// warn keeps the first warnings of the whole run.
func (f *reading) warn(r *journal.Record) error {
	var w journal.Warning
	if len(f.warned) == maxWarned {
		return nil
	}
	if err := f.from.Decode(*r, &w); err != nil {
		return err
	}
	if line := Brief(joined(w.Message, w.Error)); !slices.Contains(f.warned, line) {
		f.warned = append(f.warned, line)
	}
	return nil
}

// costs keeps a unit, which has worked until then, if it is among the most expensive.
func (f *reading) costs(costly *[]*Unit, u *history.Unit, until time.Time) {
	if u.Own.Tokens == 0 && u.Own.CostUSD == 0 || u.Began.IsZero() {
		return
	}
	s, all := f.unit(u), *costly
	s.Counts, s.Took = u.Own, f.run.Between(u.Began, until)
	if i := slices.IndexFunc(all, func(other *Unit) bool { return other.Place == s.Place }); i >= 0 { // in an earlier round
		s.Counts, s.Took = s.Counts.Plus(all[i].Counts), s.Took+all[i].Took
		all = slices.Delete(all, i, i+1)
	}
	all = append(all, s)
	slices.SortStableFunc(all, func(a, b *Unit) int {
		return cmp.Or(cmp.Compare(b.CostUSD, a.CostUSD), cmp.Compare(b.Tokens, a.Tokens))
	})
	*costly = all[:min(len(all), maxCostly)]
}

// close reads the data that is shown, once all records that there are were taken. More may come.
func (f *reading) close() (err error) {
	f.Past = &Past{Warned: slices.Clone(f.warned), Costly: slices.Clone(f.costly)}
	f.Broken = f.broken
	if f.Start, err = f.from.Start(f.run.Start); err != nil {
		return err
	}
	result, err := runner.ResultOf(f.from, &f.run, f.Start)
	if err != nil {
		return err
	}
	f.Result, f.Counts = *result, f.run.Top.Counts()
	f.Unpriced = f.run.Top.Used.Unpriced
	f.summarize()
	if err := errors.Join(f.readSteps(), f.readDenials()); err != nil {
		return err
	}
	f.closeShort()
	f.InPart = f.State == State(steps.Succeeded) && len(f.Short) > 0
	for u := range f.run.Top.All(true) {
		if f.run.End == nil && u.IsOpen() {
			f.costs(&f.Past.Costly, u, f.run.Last)
		}
	}
	if f.run.End != nil {
		return nil
	}
	return f.readNow()
}

// summarize sets what a list of runs shows, except for what failed.
func (f *reading) summarize() {
	f.ID, f.Folder, f.Workflow = f.Start.RunID, f.from.Dir(), f.Start.Workflow.Name
	f.Began, f.Took = f.run.Began, f.run.Worked
	f.Cost = runner.Cost{USD: f.CostUSD, Known: len(f.Unpriced) == 0}
	r := &f.Result
	switch {
	case f.run.End != nil:
		f.State, f.Unpriced = State(f.run.End.Status), r.Unpriced
		if f.Cost = r.Cost; r.Duration > 0 {
			f.Took = time.Duration(r.Duration) * time.Millisecond
		}
	case f.Broken != "": // nobody knows what comes after the damage
	case r.Running:
		f.State = Running
	default:
		f.State = CutOff
	}
	if f.run.End == nil {
		r.Error, r.Duration = nil, 0
	}
	f.TookMS = f.Took.Milliseconds()
}
