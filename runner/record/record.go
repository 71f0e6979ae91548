// Package record defines the records of a run: the facts that its journal consists of,
// in order. It is data alone, without files or a clock.
//
// The fields of a [Record] are what a plan needs in order to know the state of the run.
// The rest of a fact is its Data: JSON whose form depends on the kind, and that is not
// parsed before somebody asks for it.
package record

import (
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// Version is the version of the format that this package writes. It reads this version
// and earlier ones.
const Version = 1

// A Kind says what a record is about.
type Kind string

// The kinds of records. The comments name the fields that each has besides Seq, Time and
// Unit, and the form of its Data.
const (
	Run      Kind = "run"      // the first record. Version, Parallel; Data is a [Start]
	Decided  Kind = "decided"  // something was decided, usually by an expression. About, and the fields that it names
	Began    Kind = "began"    // an attempt is about to work, or continues after Resumed; then Spent is what the request in flight may have used. Once, Label; Data is its work
	Said     Kind = "said"     // a model has answered, or its answer broke off. Spent, Unpriced; Data is a steps.Said
	Called   Kind = "call"     // a tool is about to be called. Call; Data is a steps.Intent
	Answer   Kind = "answer"   // a call has ended. Call, and Status, which is the call's; Data is a steps.CallAnswer
	Warned   Kind = "warned"   // a warning about the unit, the attempt or the run; nothing depends on it. Data is a [Warning]
	Again    Kind = "again"    // an attempt has failed and another one follows. Status, Reason, Until; Data is a result
	Asked    Kind = "asked"    // work waits for a person. Label; Until: when the time for an answer is up; Data is a [Question], or with Call a steps.Pending
	Answered Kind = "answered" // a person has answered. Call; Data is a [Reply]
	Ended    Kind = "ended"    // a step or an element has ended, or will not begin. Status, Reason, Forgiven, Fatal; Data is its result
	Resumed  Kind = "resumed"  // the run is resumed. Parallel, From, Did, Failed, Changed, Base, Spent; Data is a [Resumption]
	End      Kind = "end"      // the run has ended. Status, Reason; Data is its result, without those of its steps
)

// About is what was decided.
type About string

// What can be decided.
const (
	If       About = "if"       // the condition of a step; Holds
	Elements About = "elements" // the list of a foreach; Count, LeftOut; Data is the list
	Until    About = "until"    // the condition of a group after a round; Count, which is that round, and Holds
	Rested   About = "rested"   // the wait before an attempt is over
	Stop     About = "stop"     // the unit, or the whole run, must end now; Reason, and Holds if steps with always() still have time
	Inner    About = "inner"    // something inside a conversation: which model it asks, its stop condition, its checks. Data says what; without Data, Spent is what a request may have used that was in flight when the process ended
	Keep     About = "keep"     // the unit's earlier result is kept, because its work is the same. Status, Reason, Forgiven; Data is its result
)

// A Status is how work ended.
type Status string

// The statuses, as results have them; only a run can be Waiting.
const (
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Stopped   Status = "stopped"
	Cancelled Status = "cancelled"
	Skipped   Status = "skipped"
	Waiting   Status = "waiting"
)

// MostElements is the most elements that a foreach may have. An expression can't make
// more values either.
const MostElements = 1_000_000

// A Record is one fact. A field that does not apply is zero, and absent from the record's
// line. The tags serve for reading; writing is quicker without reflection.
type Record struct {
	Seq  int64     `json:"seq"` // from 1, without a gap
	Time time.Time `json:"time"`
	Kind Kind      `json:"kind"`

	// Unit is the unit of the record; the zero Unit is the run. Began, Said, Called,
	// Answer, Again, Asked, Answered, and Decided about Until, Rested and Inner name an
	// attempt; the other kinds a step or an element. The address names the rounds of the
	// groups around the unit, and the attempts of units around it from the second on.
	Unit unit.Unit `json:"unit"`

	Version  int         `json:"version"`
	Parallel int         `json:"parallel"` // how many steps and elements may work at once
	About    About       `json:"about"`
	Holds    bool        `json:"holds"`
	Count    int         `json:"count"`
	LeftOut  []int       `json:"left_out"` // the indexes, sorted, of elements that never begin
	Once     bool        `json:"once"`     // the work may never begin twice
	Call     string      `json:"call"`     // the id of a call
	Status   Status      `json:"status"`
	Reason   string      `json:"reason"`   // the kind of the error, unless Status is a success
	Forgiven bool        `json:"forgiven"` // later steps treat its failure as success
	Fatal    bool        `json:"fatal"`    // its failure fails the whole run
	Until    time.Time   `json:"until"`    // when the next attempt may begin
	From     []unit.Unit `json:"from"`     // the units that run again
	Did      []unit.Unit `json:"did"`      // work that is never begun twice, and of which a person says that it took effect
	Failed   bool        `json:"failed"`   // everything that did not succeed runs again, wherever it is
	Changed  bool        `json:"changed"`  // the files have changed: everything runs again, except what Keep keeps
	Unpriced []string    `json:"unpriced"` // models without a known price: the cost in Spent lacks what they used
	Label    string      `json:"label"`    // of an element: its name for people
	Base     int         `json:"base"`     // with Changed: the highest number of an attempt so far
	Spent    Amount      `json:"spent"`    // what this fact adds to what the run has used; with Changed, all that it has used

	Data Value `json:"data"`

	// At is the offset, in bytes, of the record's line in its journal. It is set by
	// whoever reads or writes the record there, and is not part of the line.
	At int64 `json:"-"`
}

// An Amount is what requests have used, or may use.
type Amount struct {
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"cost_usd"` // of models whose price is known
}

// Plus returns the sum of both.
func (a Amount) Plus(b Amount) Amount { return Amount{a.Tokens + b.Tokens, a.CostUSD + b.CostUSD} }

// Minus returns the difference of both.
func (a Amount) Minus(b Amount) Amount { return Amount{a.Tokens - b.Tokens, a.CostUSD - b.CostUSD} }

// AppendHead returns the beginning of the record's line, {"seq":1,"time":"…", which is
// not known before the record's place in the journal is. [Record.Rest] returns the rest.
func (r *Record) AppendHead() ([]byte, error) {
	var o jsonline.Object
	o.Int("seq", r.Seq)
	o.Time("time", r.Time)
	line, err := o.Line()
	return line[:max(len(line)-1, 0)], err
}

// Rest returns the part of the line after its head, from the comma on; Data, if there is
// any, comes last.
func (r *Record) Rest() ([]byte, error) {
	var o jsonline.Object
	o.Text("kind", string(r.Kind))
	o.TextIf("unit", r.Unit.String())
	o.IntIf("version", r.Version)
	o.IntIf("parallel", r.Parallel)
	o.TextIf("about", string(r.About))
	boolIf(&o, "holds", r.Holds)
	o.IntIf("count", r.Count)
	valueIf(&o, "left_out", len(r.LeftOut) > 0, r.LeftOut)
	boolIf(&o, "once", r.Once)
	o.TextIf("call", r.Call)
	o.TextIf("status", string(r.Status))
	o.TextIf("reason", r.Reason)
	o.TextIf("label", r.Label)
	boolIf(&o, "forgiven", r.Forgiven)
	boolIf(&o, "fatal", r.Fatal)
	if !r.Until.IsZero() {
		o.Time("until", r.Until)
	}
	valueIf(&o, "from", len(r.From) > 0, r.From)
	valueIf(&o, "did", len(r.Did) > 0, r.Did)
	boolIf(&o, "failed", r.Failed)
	boolIf(&o, "changed", r.Changed)
	o.IntIf("base", r.Base)
	valueIf(&o, "spent", r.Spent != (Amount{}), r.Spent)
	valueIf(&o, "unpriced", len(r.Unpriced) > 0, r.Unpriced)
	if !r.Data.IsZero() {
		o.Whole("data", r.Data.line())
	}
	line, err := o.Line()
	if err != nil {
		return nil, err
	}
	line[0] = ','
	return line[:len(line)-1], nil
}

// valueIf writes a member that few records have.
func valueIf[T any](o *jsonline.Object, name string, is bool, value T) {
	if !is {
		return
	}
	data, err := jsonline.Encode(value)
	if err != nil {
		o.Fail(err)
	}
	o.Whole(name, data)
}

func boolIf(o *jsonline.Object, name string, value bool) {
	if value {
		o.Bool(name, true)
	}
}
