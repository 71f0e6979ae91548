package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Version is the version of the format that this package writes. It reads this version
// and earlier ones.
const Version = 1

// A Kind says what a record is about.
type Kind string

// The kinds of records. The comments name the fields that each has besides Seq, Time and
// Unit, and the form of its Data.
const (
	Run         Kind = "run"      // the first record. Version, Parallel; Data is a [Start]
	Decided     Kind = "decided"  // something was decided, usually by an expression. About, and the fields that it names
	Began       Kind = "began"    // an attempt is about to work, or continues after Resumed. Once, Label; Data is its work
	Said        Kind = "said"     // a model has answered, or its answer broke off. Used; Data is a steps.Answer
	CallStarted Kind = "call"     // a tool is about to be called. Call; Data is a steps.CallStarted
	CallEnded   Kind = "answer"   // a call has ended. Call, Used, and Status, which is the call's; Data is a steps.CallEnded
	Warned      Kind = "warned"   // a warning about the unit, the attempt or the run; nothing depends on it. Data is a [Warning]
	Again       Kind = "again"    // an attempt has failed and another one follows. Status, ErrorKind, Until, Used; Data is a result
	Asked       Kind = "asked"    // work waits for a person. Label; Until: when the time for an answer is up; Data is a [Question], or with Call a steps.Pending
	Answered    Kind = "answered" // a person has answered. Call; Data is a [Reply]
	Ended       Kind = "ended"    // a step or an element has ended, or will not begin. Status, ErrorKind, Forgiven, Fatal; Used of work that is no conversation; Data is its result
	Resumed     Kind = "resumed"  // the run is resumed. Parallel, From, Failed, Changed; Data is a [Resumption]
	End         Kind = "end"      // the run has ended. Status, ErrorKind; Data is its result, without those of its steps
)

// About is what was decided.
type About string

// What can be decided.
const (
	If       About = "if"       // the condition of a step; Holds
	Elements About = "elements" // the list of a foreach; Count; Data is a [List]
	Until    About = "until"    // the condition of a group after a round; Count, which is that round, and Holds
	Inner    About = "inner"    // something inside a conversation: which model it asks, its stop condition, its checks. Data says what; without Data, Spent is what a request may have used that was in flight when the process ended
	Budget   About = "budget"   // a budget of a step with on_limit: continue is used up: nothing more begins inside; Data is the error
	Keep     About = "keep"     // the unit's earlier result is kept, because its work is the same. Status, ErrorKind, Forgiven; Data is its result
)

// MaxElements is the highest number of elements of a foreach. An expression can't make
// more values either.
const MaxElements = 1_000_000

// A Record is one fact. A field that does not apply is zero, and absent from the record's
// line. The fields stand in the order that they have there.
type Record struct {
	Seq  int64     `json:"seq,omitzero"` // from 1, without a gap
	Time time.Time `json:"time,omitzero"`
	Kind Kind      `json:"kind"`

	// Unit is the unit of the record; the zero Address is the run. Began, Said, CallStarted,
	// CallEnded, Again, Asked, Answered, and Decided about Until and Inner name an
	// attempt; the other kinds a step or an element. The address names the rounds of the
	// groups around the unit, and the attempts of units around it from the second on.
	Unit Address `json:"unit,omitzero"`

	Version   int          `json:"version,omitzero"`
	Parallel  int          `json:"parallel,omitzero"` // how many steps and elements may work at once
	Trace     string       `json:"trace,omitzero"`    // of Run and Resumed: TRACEPARENT of the process, if it was set
	About     About        `json:"about,omitzero"`
	Holds     bool         `json:"holds,omitzero"`
	Count     int          `json:"count,omitzero"`
	Once      bool         `json:"once,omitzero"` // the work may never begin twice
	Call      string       `json:"call,omitzero"` // the id of a call
	Status    steps.Status `json:"status,omitzero"`
	ErrorKind steps.Kind   `json:"reason,omitzero"`   // the kind of the error, unless Status is a success
	Label     string       `json:"label,omitzero"`    // of an element: its name for people
	Forgiven  bool         `json:"forgiven,omitzero"` // later steps treat its failure as success
	Fatal     bool         `json:"fatal,omitzero"`    // its failure fails the whole run
	Until     time.Time    `json:"until,omitzero"`    // when the next attempt may begin
	From      []Address    `json:"from,omitempty"`    // the units that run again
	Failed    bool         `json:"failed,omitzero"`   // everything that did not succeed runs again, wherever it is; with Changed, nothing else does but what depends on it
	Changed   bool         `json:"changed,omitzero"`  // the files have changed: what succeeded before counts if Keep follows, or if its work is still the same
	Spent     tools.Amount `json:"spent,omitzero"`    // what a request may have used that was in flight

	// Used is what this record adds to what the run has used, without the calls that were denied,
	// which the data has; nil: nothing.
	Used *steps.Used `json:"used,omitempty"`

	Data json.RawMessage `json:"-"` // the member data, the last one, on one line; nil: there is none

	LeftOut []int `json:"-"` // with Elements: the indexes, sorted, of elements that never begin, as the data has them

	// At is the offset, in bytes, of the record's line in its journal. It is set by
	// whoever reads or writes the record there, and is not part of the line.
	At int64 `json:"-"`
}

// Amount returns what the record adds to what the run has used, or may have used.
func (r *Record) Amount() tools.Amount {
	if r.Used == nil {
		return r.Spent
	}
	return r.Spent.Plus(r.Used.Amount())
}

// IsContinued reports whether it is the end of a unit that failed, or was stopped at a limit, and
// counts as success because of on_error: continue.
func (r *Record) IsContinued() bool {
	return r.Kind == Ended && r.Forgiven && !r.Fatal && (r.Status == steps.Failed || r.Status == steps.Stopped)
}

// line returns the record's line, up to the checksum.
func (r *Record) line() ([]byte, error) {
	line, err := jsonline.Encode(r)
	if err != nil {
		return nil, err
	}
	line = slices.Grow(line[:len(line)-1], len(r.Data)+len(dataStart)+sumLength)
	if r.Data != nil {
		line = append(append(line, dataStart...), r.Data...)
	}
	return line, nil
}

var (
	dataStart    = []byte(`,"data":`)
	leftOutStart = []byte(`{"left_out":`)
)

// ParseRecord reads a record from its line, from { to }. Data is copied and not looked at, except for
// what a list leaves out: whether it is JSON shows when it is decoded.
func ParseRecord(line []byte) (r Record, err error) {
	// In a string a quote stands behind a backslash, never behind a comma: this
	// is where the member begins.
	head, data, found := bytes.Cut(line, dataStart)
	if found {
		if len(data) < 2 || data[len(data)-1] != '}' {
			return r, errors.New("the record is not an object")
		}
		r.Data = bytes.Clone(data[:len(data)-1])
		head = append(head[:len(head):len(head)], '}')
	}
	if err := json.Unmarshal(head, &r); err != nil {
		return Record{}, err
	}
	switch {
	case min(r.Count, r.Parallel) < 0 || r.Amount().Tokens < 0 || r.Amount().CostUSD < 0:
		return r, fmt.Errorf("a record %q with a negative number", r.Kind)
	case r.About == Elements && bytes.HasPrefix(r.Data, leftOutStart):
		err = r.readLeftOut()
	}
	return r, err
}

// readLeftOut sets LeftOut from the data of a list.
func (r *Record) readLeftOut() error {
	var list struct {
		LeftOut []Range `json:"left_out"`
	}
	if err := json.Unmarshal(r.Data, &list); err != nil {
		return fmt.Errorf("left_out: %w", err)
	}
	for _, of := range list.LeftOut {
		if of[0] < 0 || of[1]-of[0] >= MaxElements-len(r.LeftOut) {
			return fmt.Errorf("left_out: %d to %d are not among %d elements", of[0], of[1], MaxElements)
		}
		for i := of[0]; i <= of[1]; i++ {
			r.LeftOut = append(r.LeftOut, i)
		}
	}
	return nil
}
