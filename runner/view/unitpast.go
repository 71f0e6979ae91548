package view

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A UnitPast is a step or an element according to the journal of its run. If its address leaves
// out rounds or attempts, it is the last ones.
type UnitPast struct {
	RunID  string         `json:"run_id"`
	Unit   journal.Unit   `json:"unit"`             // with the round and the attempt
	Label  string         `json:"label,omitempty"`  // of the element that it is, or is in
	Others []journal.Unit `json:"others,omitempty"` // its other rounds and attempts, and those of units around it
	Facts  []Fact         `json:"records"`          // in order, with those of earlier processes
	Inside []*Unit        `json:"inside,omitempty"` // what is directly inside its last attempt: elements by their index, steps in the file's order

	Began     time.Time          `json:"-"` // zero: it did not
	Waits     []runner.Wait      `json:"-"` // what it, or something inside it, waits for from a person
	Result    *runner.StepResult `json:"-"`
	Continued bool               `json:"-"` // it failed, or was stopped at a limit, and counts as success
}

// A Fact is a record with its data.
type Fact struct {
	journal.Record
	Data json.RawMessage `json:"data,omitempty"`
}

// ErrNoUnit is the error for a unit that has no records in a journal.
var ErrNoUnit = errors.New("the run has no such unit")

// ReadUnit reads a unit from the journal in the folder of a run. It holds in memory the data of
// that unit, and what is known of those inside it.
func ReadUnit(dir string, u journal.Unit) (*UnitPast, error) {
	f, err := openReading(dir)
	if err != nil {
		return nil, err
	}
	defer f.from.Close()
	named := u.WithAttempt(0)
	f.run.Retain = []journal.Unit{named}
	all := attempts{named: named}
	for r, err := range f.from.Records() {
		if err != nil {
			return nil, err
		}
		f.run.Take(&r)
		all.take(&r)
	}
	p, is := all.past(u.Attempt())
	if is == nil {
		return nil, ErrNoUnit
	}
	if f.Start, err = f.from.Start(f.run.Start); err != nil {
		return nil, err
	}
	p.RunID = f.Start.RunID
	if known := f.run.Top.At(is.unit); known != nil {
		p.Label = known.LabelAround()
		if all.latest(known.Unit) == is {
			p.Inside = f.inside(known)
		}
	}
	waits := slices.DeleteFunc(f.run.Waits, func(w history.Wait) bool { return !named.Contains(w.Unit) })
	if p.Waits, err = runner.ReadWaits(f.from, waits, f.Start.Steps); err != nil {
		return nil, err
	}
	return p, p.read(f.from, is.records)
}

// attempts have the records of a unit.
type attempts struct {
	named journal.Unit // without its attempt
	list  []*attempt   // in the order in which they began
}

// An attempt has the numbers and the offsets of the records of an attempt.
type attempt struct {
	unit    journal.Unit
	records [][2]int64
}

// take notes a record, if it is one of the unit itself.
func (all *attempts) take(r *journal.Record) {
	if r.Unit.IsZero() || !all.named.Contains(r.Unit) {
		return
	}
	index, isElement := r.Unit.Element()
	if wanted, named := all.named.Element(); isElement != named || index != wanted || r.Unit.Path() != all.named.Path() {
		return
	}
	address := r.Unit.WithAttempt(0)
	is := all.latest(address)
	if is == nil || r.Unit != address && is.unit != address && is.unit != r.Unit {
		is = &attempt{}
		all.list = append(all.list, is)
	}
	if r.Unit != address || is.unit.IsZero() {
		is.unit = r.Unit
	}
	if r.About == journal.Keep {
		is.records = all.upTo(int64(r.Count))
	}
	is.records = append(is.records, [2]int64{r.Seq, r.At})
}

// latest returns the last attempt of a unit; nil if there is none.
func (all *attempts) latest(address journal.Unit) *attempt {
	for _, is := range slices.Backward(all.list) {
		if is.unit.WithAttempt(0) == address {
			return is
		}
	}
	return nil
}

// upTo returns the records of an attempt up to the one with that number, a result that was kept after the
// files changed.
func (all *attempts) upTo(seq int64) [][2]int64 {
	for _, is := range all.list {
		if i := slices.IndexFunc(is.records, func(r [2]int64) bool { return r[0] == seq }); i >= 0 {
			return slices.Clone(is.records[:i+1])
		}
	}
	return nil
}

// past returns the last attempt, or the last one with that number, without its records; nil if there is none.
func (all *attempts) past(number int) (*UnitPast, *attempt) {
	p := &UnitPast{}
	var found *attempt
	for _, is := range slices.Backward(all.list) {
		if found == nil && (number == 0 || is.unit.Attempt() == number) {
			found, p.Unit = is, is.unit
		} else {
			p.Others = append(p.Others, is.unit)
		}
	}
	slices.Reverse(p.Others)
	return p, found
}

// read reads the records of the unit with their data.
func (u *UnitPast) read(from *journal.Reader, records [][2]int64) error {
	for _, at := range records {
		r, data, err := from.DataAt(at[1])
		if err != nil {
			return err
		}
		if u.Began.IsZero() {
			u.Began = r.Time
		}
		switch {
		case history.IsEnd(&r), r.Kind == journal.Again:
			u.Result, u.Continued = &runner.StepResult{}, r.IsContinued()
			if err := jsonline.Decode(data, u.Result); err != nil {
				return fmt.Errorf("record %d: %w", r.Seq, err)
			}
			u.Label = cmp.Or(u.Label, u.Result.Label)
		case r.Kind == journal.Began:
			u.Result = nil
		}
		u.Facts = append(u.Facts, Fact{r, data})
	}
	return nil
}

// inside returns what is directly inside a unit.
func (f *reading) inside(u *history.Unit) (all []*Unit) {
	units := elementsIn(u)
	for _, step := range f.Start.Steps {
		inside := u.Steps[path.Base(step.Path)]
		switch {
		case inside == nil || inside.Unit.Path() != step.Path:
		case u.Converses():
			units = append(units, elementsIn(inside)...) // its calls
		default:
			units = append(units, inside)
		}
	}
	for _, inside := range units {
		one := f.unit(inside)
		one.Label = inside.Label // that of u is said
		all = append(all, one)
	}
	return all
}

// elementsIn returns the elements of a foreach, by their index.
func elementsIn(u *history.Unit) (all []*history.Unit) {
	if u.Foreach == nil {
		return nil
	}
	for _, index := range u.Indexes() {
		all = append(all, u.ElementOf(index))
	}
	return all
}

// Work returns the work of the unit; nil if it has not begun, or is a group.
func (u *UnitPast) Work() (*runner.Work, error) {
	for _, fact := range slices.Backward(u.Facts) {
		if fact.Kind == journal.Began && len(fact.Data) > 0 {
			w := &runner.Work{}
			return w, json.Unmarshal(fact.Data, w)
		}
	}
	return nil, nil
}
