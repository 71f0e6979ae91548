package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An oldWork is what units have done in a run before its files were changed: the fold
// of those records. Units are known by their addresses without attempts; what comes
// later in the same place counts.
type oldWork struct {
	from     *journal.Reader
	anyModel bool // models are not compared: the command line has named one, now or then

	units   map[unit.Unit]*oldUnit
	alike   map[string][]*oldUnit // that succeeded, by their path, rounds and work
	begun   map[string]bool       // that have begun, by the same
	ended   map[int64]*oldUnit    // those, by the record that says so
	past    []*oldUnit            // those in whose place others have begun since
	tries   map[unit.Unit]int     // the last attempt of each, by address, since the files were changed last
	present []*oldUnit            // that were heard of since then
	base    int                   // the attempts so far, of whatever has most
	lists   map[unit.Unit]int64   // of each foreach, the record that says its elements
	changed int64                 // the record that says that the files changed last
	spent   record.Amount
}

// An oldUnit is a step or an element that has worked.
type oldUnit struct {
	unit  unit.Unit
	work  string // its sum
	ended int64  // the number of the record that says that it succeeded; 0: it did not
	at    int64  // where that record is, or the last one that says what it and those before it used; 0: none does
	kept  bool   // another record says that this is kept
	since int64  // the record since which one in its place counts what those before it used: the files changed, or its foreach began
}

func newOldWork(from *journal.Reader, anyModel bool) *oldWork {
	return &oldWork{from: from, anyModel: anyModel, units: map[unit.Unit]*oldUnit{}, ended: map[int64]*oldUnit{}, tries: map[unit.Unit]int{}, lists: map[unit.Unit]int64{}}
}

// take takes a record.
func (o *oldWork) take(r record.Record) error {
	o.spent = o.spent.Plus(r.Spent)
	switch {
	case r.Kind == record.Resumed && r.Changed:
		o.spent, o.changed = r.Spent, r.Seq
		o.settle()
		o.forget(r.From)
	case r.Kind == record.Resumed:
		o.forget(r.From)
	case r.Unit.IsZero() || r.Kind == record.Warned:
	default:
		for p := range r.Unit.Parts() {
			o.base = max(o.base, p.Attempt, 1)
		}
		return o.takeUnit(r)
	}
	return nil
}

// forget takes that units were to be taken up anew.
func (o *oldWork) forget(from []unit.Unit) {
	for _, old := range o.units {
		if among(from, old.unit) {
			old.ended = 0
		}
	}
}

// among reports whether a unit is one of those, or in one of them, in whatever attempt.
func among(all []unit.Unit, u unit.Unit) bool {
	return slices.ContainsFunc(all, func(one unit.Unit) bool { return one.WithAttempt(0).Contains(u) })
}

func (o *oldWork) takeUnit(r record.Record) error {
	place := r.Unit.Without(unit.Attempts)
	switch {
	case r.Kind == record.Began:
		return o.begins(place, r)
	case r.About == record.Elements:
		o.lists[r.Unit] = r.Seq
	case r.About == record.Keep:
		before := o.ended[int64(r.Count)]
		if before == nil {
			return fmt.Errorf("record %d keeps what record %d came to, which nothing did", r.Seq, r.Count)
		}
		before.kept = true
		o.put(place, &oldUnit{unit: r.Unit, work: before.work})
		o.succeeds(o.units[place], r)
	case r.Kind == record.Again || r.Kind == record.Ended:
		if old := o.units[place]; old != nil && r.Status != record.Succeeded {
			old.at = r.At
		} else if old != nil {
			o.succeeds(old, r)
		}
	}
	return nil
}

// begins takes that an attempt begins. One without work, of its own or from before, is
// that of a group.
func (o *oldWork) begins(place unit.Unit, r record.Record) error {
	o.tries[place] = r.Unit.Attempt()
	old := o.units[place]
	if r.Data.IsZero() && old != nil && old.unit == r.Unit { // it goes on
		return nil
	}
	sum, works, err := o.sum(r)
	if err != nil || !works {
		return err
	}
	o.put(place, &oldUnit{unit: r.Unit, work: sum})
	return nil
}

// put takes that another unit works in that place. What the one before has used is
// counted by this one, where it is another attempt of the same.
func (o *oldWork) put(place unit.Unit, u *oldUnit) {
	u.since = max(o.changed, o.lists[u.unit.WithAttempt(0).WithElement(-1)])
	if before := o.units[place]; before != nil {
		if before.since == u.since && before.unit.WithAttempt(0) == u.unit.WithAttempt(0) {
			u.at, before.at = before.at, 0
		}
		o.past = append(o.past, before)
	}
	o.units[place] = u
	o.present = append(o.present, u)
}

func (o *oldWork) succeeds(u *oldUnit, r record.Record) {
	u.ended, u.at = r.Seq, r.At
	o.ended[r.Seq] = u
}

// settle forgets what units have done in attempts of what is around them that were
// not the last.
func (o *oldWork) settle() {
	for _, u := range o.present {
		for around := u.unit.Parent(); !around.IsZero(); around = around.Parent() {
			if last := o.tries[around.Without(unit.Attempts)]; max(last, 1) != max(around.Attempt(), 1) {
				u.ended = 0
			}
		}
	}
	clear(o.tries)
	o.present = nil
}

// index makes units findable by their work. No more records come.
func (o *oldWork) index() {
	o.settle()
	o.alike, o.begun = map[string][]*oldUnit{}, map[string]bool{}
	for _, u := range o.all() {
		o.begun[likeness(u.unit, u.work)] = true
	}
	for _, u := range o.units {
		if u.ended != 0 && !u.kept {
			key := likeness(u.unit, u.work)
			o.alike[key] = append(o.alike[key], u)
		}
	}
	for _, all := range o.alike {
		slices.SortFunc(all, func(a, b *oldUnit) int { return int(a.ended - b.ended) })
	}
}

func likeness(u unit.Unit, work string) string {
	return u.Without(unit.Elements|unit.Attempts).String() + " " + work
}

// find finds what has succeeded with the same work and is not kept yet: the unit itself,
// or another element in its place; nil where there is none.
func (o *oldWork) find(u unit.Unit, work string) *oldUnit {
	if own := o.units[u.Without(unit.Attempts)]; own != nil && own.work == work && own.ended != 0 && !own.kept {
		return own
	}
	for _, other := range o.alike[likeness(u, work)] {
		if !other.kept {
			return other
		}
	}
	return nil
}

// These are how the data begins of a step that uses a workflow, and of a group.
var (
	usesStart  = []byte(`{"kind":"` + workflows.KindUses + `"`)
	groupStart = []byte(`{"kind":"` + workflows.KindGroup + `"`)
)

// began reports whether a unit has begun that may do so only once: an element with the
// same work, or another unit whatever its work was.
func (o *oldWork) began(u unit.Unit, work string) bool {
	if _, element := u.Element(); element {
		return o.begun[likeness(u, work)]
	}
	return o.units[u.Without(unit.Attempts)] != nil
}

// all are all units that have worked, each time with another work as another one.
func (o *oldWork) all() []*oldUnit {
	return slices.AppendSeq(slices.Clone(o.past), maps.Values(o.units))
}

// keep takes that what a record says is kept.
func (o *oldWork) keep(seq int64) {
	if u := o.ended[seq]; u != nil {
		u.kept = true
	}
}

// sum returns the sum of the work that a record says. It reports false for a record that
// says none: that of a group, or of a used workflow.
func (o *oldWork) sum(r record.Record) (sum string, works bool, err error) {
	if r.Data.IsZero() {
		return "", false, nil
	}
	data, err := o.from.Data(r)
	if err != nil || bytes.HasPrefix(data, usesStart) || bytes.HasPrefix(data, groupStart) {
		return "", false, err
	}
	if o.anyModel {
		if data, err = withoutModels(data); err != nil {
			return "", false, fmt.Errorf("record %d: %w", r.Seq, err)
		}
	}
	all := sha256.Sum256(data)
	return hex.EncodeToString(all[:]), true, nil
}

// withoutModels is a work but for whom it asks.
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
