package view

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A pastFold folds the records of a run. It goes by their heads: what was said, and
// what came of it, is read of the few of which it is told. Units are known without
// their rounds and attempts: what comes later in the same place counts.
type pastFold struct {
	*Past
	waits   runner.Waits
	from    *journal.Reader
	kinds   map[string]workflows.Kind // of the steps, by path
	process int                       // that works in the run, from 0
	end     *record.Record
	open    map[string]*openUnit // that have begun and not ended
	fans    map[string]*pastFan  // foreachs
	steps   map[string]*pastStep // outside of elements, by path
	failed  map[string]*failure
	denials denials
	looked  int // denied calls of which the words were read
}

// An openUnit is an attempt that has begun and not ended.
type openUnit struct {
	unit    unit.Unit
	label   string
	began   time.Time
	process int   // that was heard of it last
	turns   int   // of the attempt
	said    int64 // where its last answer is
	call    int64 // where the call is that runs; 0: none does
	Counts
}

// A pastFan is a foreach.
type pastFan struct {
	Elements
	path    string
	status  map[int]record.Status
	reasons map[int]string
	ended   bool
}

type pastStep struct {
	ended  int64 // where its result is; 0: it has not ended
	status record.Status
	Counts
}

// A failure is a unit that ended otherwise than it should.
type failure struct {
	seq, at int64
	time    time.Time
	unit    string
	label   string
	status  record.Status
}

func newPastFold(from *journal.Reader) *pastFold { return &pastFold{Past: &Past{}, from: from} }

// begins takes that the run begins, or begins anew since its files have changed.
func (f *pastFold) begins() {
	f.kinds, f.open, f.fans = map[string]workflows.Kind{}, map[string]*openUnit{}, map[string]*pastFan{}
	f.steps, f.failed = map[string]*pastStep{}, map[string]*failure{}
	for _, step := range f.Start.Steps {
		f.kinds[step.Path] = workflows.Kind(step.Kind)
	}
}

func (f *pastFold) take(r record.Record) error {
	if r.Kind == record.Resumed {
		f.idle += r.Time.Sub(f.Last)
	}
	f.Last = r.Time
	f.waits.Take(&r)
	switch r.Kind {
	case record.Run:
		if err := f.from.Decode(r, &f.Start); err != nil {
			return err
		}
		f.Began = r.Time
		f.begins()
	case record.Resumed:
		f.process++
		f.end = nil
		if r.Changed {
			with := record.Resumption{Start: &f.Start}
			if err := f.from.Decode(r, &with); err != nil {
				return err
			}
			f.begins()
		}
		maps.DeleteFunc(f.failed, func(_ string, failed *failure) bool {
			return slices.ContainsFunc(r.From, func(u unit.Unit) bool { return contains(u, failed.unit) })
		})
	case record.End:
		f.end = &r
	case record.Warned:
		return f.warn(r)
	default:
		if !r.Unit.IsZero() {
			return f.takeUnit(r)
		}
	}
	return nil
}

func contains(u unit.Unit, name string) bool {
	other, err := unit.Parse(name)
	return err == nil && u.Contains(other)
}

// warn keeps the first warnings of the whole run. Those of units are told with these.
func (f *pastFold) warn(r record.Record) error {
	const most = 10
	var w record.Warning
	if len(f.Warned) == most || !r.Unit.IsZero() {
		return nil
	}
	if err := f.from.Decode(r, &w); err != nil {
		return err
	}
	if line := Brief(joined(w.Message, w.Error)); !slices.Contains(f.Warned, line) {
		f.Warned = append(f.Warned, line)
	}
	return nil
}

func (f *pastFold) takeUnit(r record.Record) error {
	name := nameOf(r.Unit)
	f.touch(name)
	switch {
	case r.About == record.Elements:
		f.fans[name] = &pastFan{
			path: r.Unit.Path(), status: map[int]record.Status{}, reasons: map[int]string{},
			Elements: Elements{Of: max(r.Count-len(r.LeftOut), 0), began: r.Time},
		}
		f.step(name, record.Record{})
	case r.Kind == record.Began:
		f.begin(name, r)
	case r.Kind == record.Ended, r.About == record.Keep:
		f.finish(name, r)
	case r.Kind == record.Said:
		f.heard(name, r)
	case r.Kind == record.Called:
		if o := f.open[name]; o != nil {
			o.call = r.At
		}
	case r.Kind == record.Answer:
		return f.answered(name, r)
	}
	return nil
}

// touch takes note that something happens in what is around a unit, and in itself.
func (f *pastFold) touch(name string) {
	for at := name; at != ""; at = at[:max(strings.LastIndexByte(at, '/'), 0)] {
		if o := f.open[at]; o != nil {
			o.process = f.process
		}
	}
}

// step takes what a step outside of elements came to, or that it is heard of.
func (f *pastFold) step(name string, ended record.Record) {
	if strings.IndexByte(name, '[') >= 0 {
		return
	}
	step := f.steps[name]
	if step == nil {
		step = &pastStep{}
		f.steps[name] = step
	}
	step.ended, step.status = ended.At, ended.Status
}

func (f *pastFold) begin(name string, r record.Record) {
	delete(f.failed, name)
	o := f.open[name]
	if o == nil {
		o = &openUnit{began: r.Time}
		f.open[name] = o
	}
	if o.unit != r.Unit {
		o.turns = 0
	}
	o.unit, o.process, o.call, o.said = r.Unit, f.process, 0, 0
	if r.Label != "" {
		o.label = r.Label
	}
	if fan, index := f.fanOf(name); fan != nil {
		fan.count(index, "", "")
		return
	}
	f.step(name, record.Record{})
}

// fanOf is the foreach that a unit is an element of, and its index; nil where it is
// none.
func (f *pastFold) fanOf(name string) (*pastFan, int) {
	around := around(name)
	if around == "" {
		return nil, 0
	}
	u, err := unit.Parse(name)
	if err != nil {
		return nil, 0
	}
	index, _ := u.Element()
	return f.fans[around], index
}

// count takes what an element came to in place of what it came to before.
func (n *pastFan) count(index int, status record.Status, reason string) {
	if before := n.status[index]; before != "" {
		n.Ended--
		if before != record.Succeeded && before != record.Skipped {
			n.Failed--
			if n.Reasons[n.reasons[index]]--; n.Reasons[n.reasons[index]] == 0 {
				delete(n.Reasons, n.reasons[index])
			}
		}
	}
	delete(n.reasons, index)
	if n.status[index] = status; status == "" {
		delete(n.status, index)
		return
	}
	n.Ended++
	if status == record.Succeeded || status == record.Skipped {
		return
	}
	n.Failed++
	n.Reasons = n.Reasons.add(steps.Status(status), &steps.Error{Kind: steps.Kind(reason)})
	if reason == "" {
		reason = string(status)
	}
	n.reasons[index] = reason
}

func (f *pastFold) finish(name string, r record.Record) {
	label := f.labelAt(name)
	delete(f.failed, name)
	switch r.Status {
	case record.Succeeded, record.Skipped:
	default:
		f.failed[name] = &failure{seq: r.Seq, at: r.At, time: r.Time, unit: name, label: label, status: r.Status}
	}
	if o := f.open[name]; o != nil {
		f.spender(Spender{Unit: name, Label: label, Took: r.Time.Sub(o.began), Counts: o.Counts})
		delete(f.open, name)
	}
	if fan := f.fans[name]; fan != nil {
		fan.ended = true
	}
	if fan, index := f.fanOf(name); fan != nil {
		fan.count(index, r.Status, r.Reason)
		return
	}
	f.step(name, r)
}

// labelAt is the label of the element that a unit is, or is in.
func (f *pastFold) labelAt(name string) string {
	for at := name; at != ""; at = at[:max(strings.LastIndexByte(at, '/'), 0)] {
		if o := f.open[at]; o != nil && o.label != "" {
			return o.label
		}
	}
	return ""
}

// mostSpenders is how many units are named for what they have used.
const mostSpenders = 5

// spender keeps a unit if it has used more than others.
func (f *pastFold) spender(s Spender) {
	if s.Tokens == 0 && s.CostUSD == 0 {
		return
	}
	for i, other := range f.Costly {
		if other.Unit == s.Unit { // in an earlier round
			s.Counts, s.Took = s.Counts.plus(other.Counts), s.Took+other.Took
			f.Costly = slices.Delete(f.Costly, i, i+1)
			break
		}
	}
	at := slices.IndexFunc(f.Costly, func(other Spender) bool {
		return s.CostUSD > other.CostUSD || s.CostUSD == other.CostUSD && s.Tokens > other.Tokens
	})
	if at < 0 {
		at = len(f.Costly)
	}
	f.Costly = slices.Insert(f.Costly, at, s)
	f.Costly = f.Costly[:min(len(f.Costly), mostSpenders)]
}

// count counts for the run, for the unit, and for what is around it.
func (f *pastFold) count(name string, by Counts) {
	f.Counts = f.Counts.plus(by)
	if o := f.open[name]; o != nil {
		o.Counts = o.Counts.plus(by)
	}
	first := name
	if at := strings.IndexByte(name, '['); at >= 0 {
		first = name[:at]
	}
	for at := first; at != ""; at = at[:max(strings.LastIndexByte(at, '/'), 0)] {
		if step := f.steps[at]; step != nil {
			step.Counts = step.Counts.plus(by)
		}
	}
}

func (f *pastFold) heard(name string, r record.Record) {
	for _, model := range r.Unpriced {
		if !slices.Contains(f.Unpriced, model) {
			f.Unpriced = append(f.Unpriced, model)
		}
	}
	f.count(name, Counts{Turns: 1, Tokens: r.Spent.Tokens, CostUSD: r.Spent.CostUSD, Unpriced: len(r.Unpriced) > 0})
	if o := f.open[name]; o != nil {
		o.turns++
		o.said, o.call = r.At, 0
	}
}

// mostLooked bounds the denied calls of which the words are read.
const mostLooked = 1000

func (f *pastFold) answered(name string, r record.Record) error {
	denied := r.Status == record.Status(tools.Denied)
	by := Counts{Calls: 1}
	if denied {
		by.Denied = 1
	}
	f.count(name, by)
	o := f.open[name]
	if o == nil {
		return nil
	}
	o.call = 0
	if !denied || f.looked == mostLooked || o.said == 0 {
		return nil
	}
	f.looked++
	var answer steps.CallAnswer
	if err := f.from.Decode(r, &answer); err != nil {
		return err
	}
	tool, arguments, err := f.callOf(o.said, answer.Place)
	if err != nil {
		return err
	}
	f.Unasked = f.Unasked || WasUnasked(answer.Rule)
	told := steps.Event{Tool: tool, Input: arguments, Error: answer.Reason}
	f.denials = f.denials.add(denial{
		step: r.Unit.Path(), place: (&Unit{Place: name, Label: f.labelAt(name)}).Name(),
		call: Call(tool, arguments) + because(answer.Rule, reasonOf(told)), times: 1,
	})
	return nil
}

// callOf is a call of the answer that is at a place of the journal.
func (f *pastFold) callOf(said int64, place int) (tool string, arguments []byte, err error) {
	r, err := f.from.At(said)
	if err != nil {
		return "", nil, err
	}
	var s steps.Said
	if err := f.from.Decode(r, &s); err != nil {
		return "", nil, err
	}
	if calls := s.Message.Calls(); place >= 0 && place < len(calls) {
		return calls[place].Name, calls[place].Arguments, nil
	}
	return "?", nil, nil
}
