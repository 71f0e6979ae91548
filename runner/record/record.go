// Package record says what the records of a run are: the facts of which its journal
// is made, in their order. It is data alone, without a file or a clock, for whoever
// writes them, keeps them, or folds them.
//
// The members of a [Record] are what a plan needs to say where the run stands. What
// else a fact holds is its Data: JSON whose form the kind says, kept unread until
// somebody asks for it.
package record

import (
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// Version is the version of the format that this package writes. It reads that and those
// before it.
const Version = 1

// A Kind says what a record is about.
type Kind string

// The kinds of records. The comments name the members that go with each, besides
// Seq, Time and Unit, and the form of Data.
const (
	Run      Kind = "run"      // the first one. Version, Parallel; Data is a [Start]
	Decided  Kind = "decided"  // an expression was evaluated, or what it stands for. About, and what that says
	Began    Kind = "began"    // an attempt is about to work, or goes on after Resumed, then with what the request that was in flight may have Spent. Once, Label; Data is its work
	Said     Kind = "said"     // a model has answered, or broken off. Spent, Unpriced; Data is a steps.Said
	Called   Kind = "call"     // a tool is about to be called. Call; Data is a steps.Intent
	Answer   Kind = "answer"   // a call has ended. Call, Status, which is that of the call; Data is a steps.CallAnswer
	Warned   Kind = "warned"   // something to look at has happened, in the unit, the attempt or the run; nothing hangs on it. Data is a [Warning]
	Again    Kind = "again"    // an attempt has failed and another one follows. Status, Reason, Until; Data is a result
	Asked    Kind = "asked"    // work waits for a person. Label; Until: when the time for an answer is up; Data is a [Question], or with Call a steps.Pending
	Answered Kind = "answered" // a person has answered. Call; Data is a [Reply]
	Ended    Kind = "ended"    // a step or an element has ended, or is not to begin. Status, Reason, Forgiven, Fatal; Data is its result
	Resumed  Kind = "resumed"  // a run is gone on with. Parallel, From, Failed, Changed, Base, Spent; Data is a [Resumption]
	End      Kind = "end"      // the run has ended. Status, Reason; Data is its result, without those of its steps
)

// About is what was decided.
type About string

// What can be decided.
const (
	If       About = "if"       // the condition of a step; Holds
	Elements About = "elements" // what a foreach goes over; Count, LeftOut; Data is the list
	Until    About = "until"    // the condition of a group, after a round; Count, which is that round, and Holds
	Rested   About = "rested"   // the wait before an attempt is over
	Stop     About = "stop"     // the unit, or the whole run, must end now; Reason, and Holds where steps that ask always() have time still
	Inner    About = "inner"    // something inside of a conversation: whom it asks, its stop condition, its checks. Data says what; without Data, Spent is what a request may have used that was in flight when the process ended
	Keep     About = "keep"     // what the unit came to before is kept: its work is the same. Status, Reason, Forgiven; Data is its result
)

// A Status is how work ended.
type Status string

// The statuses, as results have them; Waiting is that of a run alone.
const (
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Stopped   Status = "stopped"
	Cancelled Status = "cancelled"
	Skipped   Status = "skipped"
	Waiting   Status = "waiting"
)

// MostElements bounds a foreach. An expression can't make more values either.
const MostElements = 1_000_000

// A Record is one fact. What does not apply is zero, and absent from its line. The
// tags are for reading; to write one is quicker without reflection.
type Record struct {
	Seq  int64     `json:"seq"` // from 1, without a gap
	Time time.Time `json:"time"`
	Kind Kind      `json:"kind"`

	// Unit is what the record is about; the zero Unit is the run. Began, Said,
	// Called, Answer, Again, Asked, Answered, and what is decided about Until, Rested
	// and Inner name an attempt; the others a step or an element. Of what is around
	// it the rounds are given, and the attempts from the second on.
	Unit unit.Unit `json:"unit"`

	Version  int         `json:"version"`
	Parallel int         `json:"parallel"` // how many steps and elements may work at once
	About    About       `json:"about"`
	Holds    bool        `json:"holds"`
	Count    int         `json:"count"`
	LeftOut  []int       `json:"left_out"` // of the elements, in their order: those that are not to begin
	Once     bool        `json:"once"`     // the work may never be begun twice
	Call     string      `json:"call"`     // the id of a call
	Status   Status      `json:"status"`
	Reason   string      `json:"reason"`   // the kind of the error, where Status is no success
	Forgiven bool        `json:"forgiven"` // its failure counts as success for what comes after
	Fatal    bool        `json:"fatal"`    // its failure is the whole run's
	Until    time.Time   `json:"until"`    // when the next attempt may begin
	From     []unit.Unit `json:"from"`     // what is taken up anew
	Failed   bool        `json:"failed"`   // what did not succeed is taken up again, wherever it is
	Changed  bool        `json:"changed"`  // the files are others: everything is taken up anew, but for what is decided to be kept
	Unpriced []string    `json:"unpriced"` // models whose price is not known: what they used is not in the cost of Spent
	Label    string      `json:"label"`    // of an element: what people are told that it is called
	Base     int         `json:"base"`     // with Changed: the attempts so far, of whatever has most
	Spent    Amount      `json:"spent"`    // what this fact adds to what the run has used; of Changed, all of it

	Data Value `json:"data"`

	// At is where the line of the record begins in its journal, in bytes; whoever
	// read or wrote it there says so. It is not in the line.
	At int64 `json:"-"`
}

// An Amount is what requests have used, or may use.
type Amount struct {
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"cost_usd"` // of models whose price is known
}

// Plus is the sum of both.
func (a Amount) Plus(b Amount) Amount { return Amount{a.Tokens + b.Tokens, a.CostUSD + b.CostUSD} }

// Minus is the difference of both.
func (a Amount) Minus(b Amount) Amount { return Amount{a.Tokens - b.Tokens, a.CostUSD - b.CostUSD} }

// AppendHead writes the beginning of the record's line, up to what is unknown
// until its place in the journal is: {"seq":1,"time":"…". [Record.Rest] is what
// comes behind it.
func (r *Record) AppendHead() ([]byte, error) {
	var o jsonline.Object
	o.Int("seq", r.Seq)
	o.Time("time", r.Time)
	line, err := o.Line()
	return line[:max(len(line)-1, 0)], err
}

// Rest returns what of the line follows on its head, from the comma to the last
// member; Data comes last, if there is any.
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
