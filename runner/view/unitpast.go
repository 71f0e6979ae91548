package view

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
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
	RunID  string            `json:"run_id"`
	Unit   journal.Address   `json:"unit"`             // with the round and the attempt
	Label  string            `json:"label,omitempty"`  // of the element that it is, or is in
	Others []journal.Address `json:"others,omitempty"` // its other rounds and attempts, and those of units around it
	Facts  []Fact            `json:"records"`          // in order, with those of earlier processes
	Inside []*Row            `json:"inside,omitempty"` // what is directly inside its last attempt: elements by their index, steps in the file's order

	Began     time.Time          `json:"-"` // zero: it did not
	Waits     []runner.Wait      `json:"-"` // what it, or something inside it, waits for from a person
	Result    *runner.StepResult `json:"-"`
	Whole     string             `json:"-"` // the file with all of a text of which the result has a part: see [Fact].File
	Continued bool               `json:"-"` // it failed, or was stopped at a limit, and counts as success
}

// A Fact is a record with its data.
type Fact struct {
	journal.Record
	Data json.RawMessage `json:"data,omitempty"`
	File string          `json:"file,omitempty"` // in the folder of the run: it has all of the output of which Data has a part
}

// ErrNoUnit is the error for a unit that has no records in a journal.
var ErrNoUnit = errors.New("the run has no such unit")

// ReadUnit reads a unit from the journal in the folder of a run.
func ReadUnit(dir string, named journal.Address) (*UnitPast, error) {
	u, err := ReadUnits(dir)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	if u.Broken != "" {
		return nil, errors.New(u.Broken)
	}
	whole := named.WithAttempt(0)
	index, isElement := named.Element()
	var all []*attempt
	for _, row := range u.Rows {
		if i, is := row.Unit.Element(); i == index && is == isElement && row.Unit.Path() == named.Path() && whole.Contains(row.Unit) {
			all = append(all, row.attempts...)
		}
	}
	slices.SortFunc(all, func(a, b *attempt) int { return cmp.Compare(a.records[0].seq, b.records[0].seq) })
	p, err := u.past(all, named.Attempt())
	if err != nil {
		return nil, err
	}
	p.Inside = u.inside(p.Unit)
	for _, w := range u.Result.Waiting {
		if whole.Contains(w.Unit) {
			p.Waits = append(p.Waits, w)
		}
	}
	return p, nil
}

// An attempt has the places of its records in the journal.
type attempt struct {
	unit    journal.Address
	records []recordPlace
}

// A recordPlace is the number of a record, and its offset.
type recordPlace struct{ seq, at int64 }

// note adds a record to the last attempt of the unit, or to one that it begins.
func (row *Row) note(r *journal.Record) {
	is := row.latest()
	if is == nil || r.Unit != row.Unit && is.unit != row.Unit && is.unit != r.Unit {
		is = &attempt{unit: r.Unit}
		row.attempts = append(row.attempts, is)
	}
	if r.Unit != row.Unit {
		is.unit = r.Unit
	}
	if r.About == journal.Keep {
		is.records = row.upTo(int64(r.Count))
	}
	is.records = append(is.records, recordPlace{r.Seq, r.At})
}

// latest returns the last attempt; nil if the unit has no records.
func (row *Row) latest() *attempt {
	if len(row.attempts) == 0 {
		return nil
	}
	return row.attempts[len(row.attempts)-1]
}

// upTo returns the records of an attempt up to the one with that number, a result that was kept after the
// files changed.
func (row *Row) upTo(seq int64) []recordPlace {
	for _, is := range row.attempts {
		if i := slices.IndexFunc(is.records, func(r recordPlace) bool { return r.seq == seq }); i >= 0 {
			return slices.Clone(is.records[:i+1])
		}
	}
	return nil
}

// past reads the last of some attempts, or the last one with that number, with the data of its records.
func (u *Units) past(all []*attempt, number int) (*UnitPast, error) {
	p := &UnitPast{RunID: u.ID}
	var records []recordPlace
	for _, is := range slices.Backward(all) {
		if records == nil && (number == 0 || is.unit.Attempt() == number) {
			p.Unit, records = is.unit, is.records
		} else {
			p.Others = append(p.Others, is.unit)
		}
	}
	if records == nil {
		return nil, ErrNoUnit
	}
	slices.Reverse(p.Others)
	for _, place := range records {
		if err := p.read(u.f.from, place.at); err != nil {
			return nil, err
		}
	}
	p.Label = cmp.Or(u.labelAround(p.Unit), p.Label)
	return p, nil
}

// read reads the next record.
func (u *UnitPast) read(from *journal.Reader, at int64) error {
	r, data, err := from.DataAt(at)
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
		u.Label, u.Whole = u.Result.Label, fileOf(r, data)
	case r.Kind == journal.Began:
		u.Result, u.Whole = nil, ""
	}
	u.Facts = append(u.Facts, Fact{r, data, fileOf(r, data)})
	return nil
}

// fileOf returns the file in the folder of a run with all of the output of which a record has a part; ""
// if there is none.
func fileOf(r journal.Record, data []byte) string {
	var said struct{ Whole string }
	if err := json.Unmarshal(data, &said); err != nil || said.Whole == "" {
		return ""
	}
	if r.Kind == journal.CallEnded {
		return runner.OutputFile(r.Unit, said.Whole)
	}
	return filepath.Join("outputs", filepath.Base(said.Whole))
}

// around returns the address of the foreach of an element, or else of the unit that a unit is in.
func (u *Units) around(address journal.Address) journal.Address {
	if foreach := address.WithAttempt(0).WithElement(-1); foreach != address.WithAttempt(0) && u.rows[foreach] != nil {
		return foreach
	}
	return address.Parent() // a call of a tool has the conversation around it
}

// labelAround returns the label of the element that a unit is, or is in.
func (u *Units) labelAround(address journal.Address) string {
	for ; !address.IsZero(); address = address.Parent() {
		if row := u.rows[address.WithAttempt(0)]; row != nil && row.Label != "" {
			return row.Label
		}
	}
	return ""
}

// inside returns the units directly inside an attempt that have records; of several rounds those of the
// last one.
func (u *Units) inside(attempt journal.Address) (all []*Row) {
	if attempt.Attempt() == 1 { // which is left out of the addresses of what is inside
		attempt = attempt.WithAttempt(0)
	}
	round, last := 0, int64(0)
	for _, row := range u.Rows {
		if is := row.latest(); is != nil && u.around(row.Unit) == attempt {
			all = append(all, row)
			if seq := is.records[len(is.records)-1].seq; seq > last {
				round, last = row.Unit.Round(), seq
			}
		}
	}
	return slices.DeleteFunc(all, func(row *Row) bool { return row.Unit.Round() != round })
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
