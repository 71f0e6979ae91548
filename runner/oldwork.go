package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An oldWork has what units did in a run before its files changed: a fold over those
// records, by the addresses of units without attempts. The last unit with an address
// counts.
type oldWork struct {
	from     *journal.Reader
	anyModel bool // models are not compared: the options name one, now or then

	units   map[journal.Unit]*oldUnit
	begun   map[string]bool           // the likeness of units that have begun
	ended   map[int64]*oldUnit        // units that succeeded, by the number of the record that says so
	past    []*oldUnit                // units that were replaced by later ones with the same address
	tries   map[journal.Unit]int      // the last attempt of each address since the files changed last
	present []*oldUnit                // units with records since then
	base    int                       // the highest number of an attempt so far
	lists   map[journal.Unit]int64    // the number of the record with the list of each foreach
	items   map[journal.Unit]*oldList // by the address of the foreach without attempts
	changed int64                     // the number of the record that says that the files changed last
	spent   journal.Amount
}

// An oldUnit is a step or an element that has worked.
type oldUnit struct {
	unit  journal.Unit
	work  string  // the digest of its work
	began int64   // the offset of the record with its work
	ended int64   // the number of the record that says that it succeeded; 0: it did not
	used  []int64 // the offsets of the records with what it, and its earlier attempts, used; the last one alone once it has ended
	kept  bool    // a later record keeps its result
	since int64   // the number of the record since which usage adds up: the files changed, or its foreach began
}

func newOldWork(from *journal.Reader, anyModel bool) *oldWork {
	return &oldWork{from: from, anyModel: anyModel, units: map[journal.Unit]*oldUnit{}, ended: map[int64]*oldUnit{}, tries: map[journal.Unit]int{}, lists: map[journal.Unit]int64{}, items: map[journal.Unit]*oldList{}}
}

// take applies a record.
func (o *oldWork) take(r journal.Record) error {
	o.spent = o.spent.Plus(r.Spent)
	switch {
	case r.Kind == journal.Resumed && r.Changed:
		o.spent, o.changed = r.Spent, r.Seq
		o.settle()
		o.forget(r.From)
	case r.Kind == journal.Resumed:
		o.forget(r.From)
	case r.Unit.IsZero() || r.Kind == journal.Warned:
	default:
		for p := range r.Unit.Parts() {
			o.base = max(o.base, p.Attempt, 1)
		}
		return o.takeUnit(r)
	}
	return nil
}

// forget applies that units ran again.
func (o *oldWork) forget(from []journal.Unit) {
	for _, old := range o.units {
		if among(from, old.unit) {
			old.ended = 0
		}
	}
}

// among reports whether a unit is one of those, or inside one of them, in whatever attempt.
func among(all []journal.Unit, u journal.Unit) bool {
	return slices.ContainsFunc(all, func(one journal.Unit) bool { return one.WithAttempt(0).Contains(u) })
}

func (o *oldWork) takeUnit(r journal.Record) error {
	address := r.Unit.Without(journal.AttemptMarks)
	old := o.units[address]
	switch {
	case r.Kind == journal.Began:
		return o.begins(address, r)
	case r.About == journal.Elements:
		o.lists[r.Unit] = r.Seq
		o.items[address] = &oldList{record: r}
	case r.About == journal.Keep:
		before := o.ended[int64(r.Count)]
		if before == nil {
			return fmt.Errorf("record %d refers to the result of record %d, which has none", r.Seq, r.Count)
		}
		before.kept = true
		o.put(address, &oldUnit{unit: r.Unit, work: before.work, began: before.began})
		o.succeeds(o.units[address], r)
	case old == nil:
	case r.Kind == journal.Said || r.Kind == journal.Answer:
		old.used = append(old.used, r.At)
	case r.Kind != journal.Again && r.Kind != journal.Ended:
	case old.unit.WithAttempt(0) != r.Unit.WithAttempt(0) || old.since != o.since(r.Unit): // the unit has not begun since then
	case r.Status == journal.Succeeded:
		o.succeeds(old, r)
	default:
		old.used = []int64{r.At}
	}
	return nil
}

// begins applies that an attempt begins. An attempt without work, of its own or from an
// earlier record, is that of a group.
func (o *oldWork) begins(address journal.Unit, r journal.Record) error {
	o.tries[address] = r.Unit.Attempt()
	old := o.units[address]
	if r.Data == nil && old != nil && old.unit == r.Unit { // it continues
		return nil
	}
	sum, works, err := o.sum(r)
	if err != nil || !works {
		return err
	}
	o.put(address, &oldUnit{unit: r.Unit, work: sum, began: r.At})
	return nil
}

// put replaces the unit with that address. If the new one is another attempt of the same
// unit, it takes over what the earlier attempts used.
func (o *oldWork) put(address journal.Unit, u *oldUnit) {
	u.since = o.since(u.unit)
	if before := o.units[address]; before != nil {
		if before.since == u.since && before.unit.WithAttempt(0) == u.unit.WithAttempt(0) {
			u.used, before.used = before.used, nil
		}
		o.past = append(o.past, before)
	}
	o.units[address] = u
	o.present = append(o.present, u)
}

// since returns the number of the record since which the usage of a unit adds up.
func (o *oldWork) since(u journal.Unit) int64 {
	return max(o.changed, o.lists[u.WithAttempt(0).WithElement(-1)])
}

func (o *oldWork) succeeds(u *oldUnit, r journal.Record) {
	u.ended, u.used = r.Seq, []int64{r.At}
	o.ended[r.Seq] = u
}

// settle forgets what units did inside an attempt of a unit around them that was not the
// last one.
func (o *oldWork) settle() {
	for _, u := range o.present {
		for around := u.unit.Parent(); !around.IsZero(); around = around.Parent() {
			if last := o.tries[around.Without(journal.AttemptMarks)]; max(last, 1) != max(around.Attempt(), 1) {
				u.ended = 0
			}
		}
	}
	clear(o.tries)
	o.present = nil
}

// index prepares for find and began, once all records are taken.
func (o *oldWork) index() {
	o.settle()
	o.begun = map[string]bool{}
	for _, u := range o.all() {
		o.begun[likeness(u.unit, u.work)] = true
	}
}

func likeness(u journal.Unit, work string) string {
	return u.Without(journal.ElementMarks|journal.AttemptMarks).String() + " " + work
}

// find returns the unit at the same address if it succeeded with the same work, or with any work;
// nil if there is none.
func (o *oldWork) find(u journal.Unit, work string, anyWork bool) *oldUnit {
	if own := o.units[u.Without(journal.AttemptMarks)]; own != nil && (anyWork || own.work == work) && own.ended != 0 && !own.kept {
		return own
	}
	return nil
}

// An oldList is the list of a foreach.
type oldList struct {
	record journal.Record
	read   sync.Once
	items  []json.RawMessage
	err    error
}

// item returns the item that an element had, as JSON; nil if there was none.
func (o *oldWork) item(foreach journal.Unit, index int) (json.RawMessage, error) {
	list := o.items[foreach.Without(journal.AttemptMarks)]
	if list == nil {
		return nil, nil
	}
	list.read.Do(func() {
		var data []byte
		if data, list.err = o.from.Data(list.record); list.err == nil && data != nil {
			var all struct{ Items []json.RawMessage }
			list.err = json.Unmarshal(data, &all)
			list.items = all.Items
		}
	})
	if list.err != nil || index >= len(list.items) {
		return nil, list.err
	}
	return list.items[index], nil
}

// How the data of a step that uses a workflow begins, and that of a group.
var (
	usesStart  = []byte(`{"kind":"` + workflows.KindUses + `"`)
	groupStart = []byte(`{"kind":"` + workflows.KindGroup + `"`)
)

// began reports whether a unit with once has begun: for an element, one with the same work;
// for any other unit, the unit itself whatever its work was.
func (o *oldWork) began(u journal.Unit, work string) bool {
	if _, element := u.Element(); element {
		return o.begun[likeness(u, work)]
	}
	return o.units[u.Without(journal.AttemptMarks)] != nil
}

// all returns all units that have worked, also those that were replaced.
func (o *oldWork) all() []*oldUnit {
	return slices.AppendSeq(slices.Clone(o.past), maps.Values(o.units))
}

// keep marks the unit of a record as kept.
func (o *oldWork) keep(seq int64) {
	if u := o.ended[seq]; u != nil {
		u.kept = true
	}
}

// sum returns the digest of the work in a record. It reports false if the record has none:
// that of a group, or of a used workflow.
func (o *oldWork) sum(r journal.Record) (sum string, works bool, err error) {
	if r.Data == nil {
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
