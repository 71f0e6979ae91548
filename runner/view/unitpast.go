package view

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A UnitPast is a step or an element according to the journal of its run. If its address leaves
// out rounds or attempts, it is the last ones.
type UnitPast struct {
	Start     journal.Start
	Unit      journal.Unit  // with the round and the attempt
	Label     string        // of the element that it is, or is in
	Began     time.Time     // zero: it did not
	Last      time.Time     // the time of its last record
	Waits     []runner.Wait // what it, or something inside it, waits for from a person
	Facts     []Fact        // in order, with those of earlier processes
	Result    *runner.StepResult
	Continued bool           // it failed, or was stopped at a limit, and counts as success
	Inside    []InsideUnit   // what is directly inside it: elements by their index, steps in the order of their first records
	Others    []journal.Unit // its other rounds and attempts, and those of units around it
}

// A Fact is a record with its data.
type Fact struct {
	journal.Record
	Data json.RawMessage
}

// An InsideUnit is directly inside a unit: a step of a group, or an element of a foreach.
type InsideUnit struct {
	Unit      string       `json:"unit"` // without rounds and attempts
	Label     string       `json:"label,omitempty"`
	Status    steps.Status `json:"status,omitempty"`    // "" where it has not ended
	Reason    string       `json:"reason,omitempty"`    // the kind of its error
	Continued bool         `json:"continued,omitempty"` // it counts as success all the same
}

// ErrNoUnit is the error for a unit that has no records in a journal.
var ErrNoUnit = errors.New("the run has no such unit")

// ReadUnit reads a unit from the journal in the folder of a run. It holds in memory the data of
// that unit, and the names of what is inside it.
func ReadUnit(dir string, u journal.Unit) (*UnitPast, error) {
	from, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	f := newUnitFold(from, u)
	if err := f.takeUpTo(math.MaxInt64); err != nil {
		return nil, err
	}
	if f.attempt != 0 && f.attempt != f.Unit.Attempt() {
		f.UnitPast = f.wanted
	}
	if f.UnitPast == nil || f.Unit.IsZero() && len(f.Inside) == 0 {
		return nil, ErrNoUnit
	}
	if f.Waits, err = runner.ReadWaits(from, f.waits, f.Start.Steps); err != nil {
		return nil, err
	}
	f.Waits = slices.DeleteFunc(f.Waits, func(w runner.Wait) bool { return !f.named.Contains(w.Unit) })
	slices.SortStableFunc(f.Inside, func(a, b InsideUnit) int { return cmp.Compare(elementOf(a), elementOf(b)) })
	f.Others = slices.DeleteFunc(f.Others, func(other journal.Unit) bool { return other == f.Unit })
	return f.UnitPast, nil
}

// elementOf returns the index of an element; 0 for a step.
func elementOf(in InsideUnit) int {
	u, err := journal.ParseUnit(in.Unit)
	if err != nil {
		return 0
	}
	index, _ := u.Element()
	return index
}

// A unitFold folds the records of one unit.
type unitFold struct {
	*UnitPast
	named   journal.Unit // without its attempt
	attempt int          // 0: the last one
	wanted  *UnitPast    // that attempt, if another one came after it
	from    *journal.Reader
	waits   history.Waits
	inside  map[string]int // the index in Inside
}

func newUnitFold(from *journal.Reader, u journal.Unit) *unitFold {
	return &unitFold{UnitPast: &UnitPast{}, named: u.WithAttempt(0), attempt: u.Attempt(), from: from, inside: map[string]int{}}
}

// takeUpTo applies the records of the journal up to that number.
func (f *unitFold) takeUpTo(last int64) error {
	for r, err := range f.from.Records() {
		if err == nil && r.Seq > last {
			break
		}
		if err == nil {
			err = f.take(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keep reads the earlier result, in the record with that number, that was kept after the files
// changed: that of the unit itself, or of an element that had another index.
func (f *unitFold) keep(seq int64) error {
	for r, err := range f.from.Records() {
		if err != nil {
			return err
		}
		if r.Seq == seq {
			before := newUnitFold(f.from, r.Unit)
			err = before.takeUpTo(seq)
			f.Facts, f.Began = before.Facts, before.Began
			return err
		}
	}
	return nil
}

func (f *unitFold) take(r journal.Record) error {
	f.waits.Take(&r)
	if r.Kind == journal.Resumed && r.Changed { // indexes may be those of other elements now
		*f.UnitPast = UnitPast{Start: f.Start}
		f.wanted, f.inside = nil, map[string]int{}
	}
	if r.Kind == journal.Run {
		return f.from.Decode(r, &f.Start)
	}
	if r.Unit.IsZero() {
		return nil
	}
	if r.Label != "" && r.Unit.WithAttempt(0).Contains(f.named) {
		f.Label = r.Label
	}
	if !f.named.Contains(r.Unit) {
		return nil
	}
	wanted, named := f.named.Element()
	_, ofElement := r.Unit.Parent().Element()
	element, isElement := r.Unit.Element()
	deeper := strings.Count(r.Unit.String(), "/") - strings.Count(f.named.String(), "/")
	switch {
	case deeper == 0 && isElement == named && element == wanted:
		return f.own(r)
	case deeper == 0 || deeper == 1 && !isElement && ofElement == named:
		return f.within(r)
	}
	return nil
}

// own applies a record of the unit itself.
func (f *unitFold) own(r journal.Record) error {
	if f.Unit.WithAttempt(0) != r.Unit.WithAttempt(0) || r.Unit.Attempt() != 0 && f.Unit.Attempt() != 0 && f.Unit.Attempt() != r.Unit.Attempt() {
		if !f.Unit.IsZero() && !slices.Contains(f.Others, f.Unit) {
			f.Others = append(f.Others, f.Unit)
		}
		if f.attempt != 0 && f.Unit.Attempt() == f.attempt {
			before := *f.UnitPast
			f.wanted = &before
		}
		f.Unit, f.Facts, f.Result, f.Began = r.Unit, nil, nil, time.Time{}
		f.Inside, f.inside = nil, map[string]int{}
	}
	if r.Unit.Attempt() != 0 {
		f.Unit = r.Unit
	}
	data, err := f.from.Data(r)
	if err != nil {
		return err
	}
	if f.Last = r.Time; f.Began.IsZero() {
		f.Began = r.Time
	}
	switch {
	case r.About == journal.Keep:
		if err := f.keep(int64(r.Count)); err != nil {
			return err
		}
		fallthrough
	case r.Kind == journal.Ended, r.Kind == journal.Again:
		result := &runner.StepResult{}
		if err := jsonline.Decode(data, result); err != nil {
			return fmt.Errorf("record %d: %w", r.Seq, err)
		}
		f.Continued = r.IsContinued()
		f.Result, f.Label = result, cmp.Or(f.Label, result.Label)
	case r.Kind == journal.Began:
		f.Result = nil
	}
	f.Facts = append(f.Facts, Fact{r, data})
	return nil
}

// within applies a record of something directly inside the unit.
func (f *unitFold) within(r journal.Record) error {
	name := nameOf(r.Unit)
	at, known := f.inside[name]
	if !known {
		at = len(f.Inside)
		f.inside[name] = at
		f.Inside = append(f.Inside, InsideUnit{Unit: name})
	}
	in := &f.Inside[at]
	if r.Label != "" {
		in.Label = r.Label
	}
	if in.Status, in.Reason, in.Continued = "", "", r.IsContinued(); r.Kind == journal.Ended || r.About == journal.Keep {
		in.Status, in.Reason = steps.Status(r.Status), r.Reason
	}
	return nil
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

// MarshalJSON returns the unit with its records and their data.
func (u *UnitPast) MarshalJSON() ([]byte, error) {
	type line struct {
		Seq    int64           `json:"seq"`
		Time   time.Time       `json:"time"`
		Kind   journal.Kind    `json:"kind"`
		About  journal.About   `json:"about,omitempty"`
		Holds  *bool           `json:"holds,omitempty"`
		Call   string          `json:"call,omitempty"`
		Status journal.Status  `json:"status,omitempty"`
		Spent  *journal.Amount `json:"spent,omitempty"`
		Data   json.RawMessage `json:"data,omitempty"`
	}
	all := struct {
		RunID   string         `json:"run_id"`
		Unit    journal.Unit   `json:"unit"`
		Label   string         `json:"label,omitempty"`
		Others  []journal.Unit `json:"others,omitempty"`
		Records []line         `json:"records"`
		Inside  []InsideUnit   `json:"inside,omitempty"`
	}{u.Start.RunID, u.Unit, u.Label, u.Others, []line{}, u.Inside}
	for _, f := range u.Facts {
		l := line{Seq: f.Seq, Time: f.Time, Kind: f.Kind, About: f.About, Call: f.Call, Status: f.Status, Data: f.Data}
		if f.About == journal.If || f.About == journal.Until {
			l.Holds = &f.Holds
		}
		if f.Spent != (journal.Amount{}) {
			l.Spent = &f.Spent
		}
		all.Records = append(all.Records, l)
	}
	return json.Marshal(all)
}
