package runner

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Wait is something that a run waits for: the answer to the question of a step, or whether a
// call may run.
type Wait struct {
	Unit   journal.Address `json:"unit"` // without its attempt
	Call   string          `json:"call_id,omitempty"`
	Label  string          `json:"label,omitempty"`  // of the element that the unit is, or is inside of
	Recipe string          `json:"recipe,omitempty"` // the reference of the one whose step asks; "" where that is of no recipe
	Since  time.Time       `json:"since"`
	Until  *time.Time      `json:"until,omitempty"` // when the time for an answer is up

	Question string          `json:"question,omitempty"`
	Choices  []string        `json:"choices,omitempty"`
	Schema   json.RawMessage `json:"schema,omitempty"`
	Default  json.RawMessage `json:"default,omitempty"`
	Comment  bool            `json:"comment,omitempty"` // a line of text may come with the answer

	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Rule      string          `json:"rule,omitempty"`

	attempt journal.Address // the unit with its attempt
	reply   *journal.Reply  // with which the run is resumed; nil: there is none
}

// Address returns the address for an answer: that of a unit, or of a call in it. A step that is named
// as [AllCalls] has its attempt there.
func (w *Wait) Address() string {
	switch {
	case w.Call != "":
		return w.Unit.String() + ":" + w.Call
	case w.Unit.String() == AllCalls:
		return w.Unit.WithAttempt(1).String()
	}
	return w.Unit.String()
}

// IsCall reports whether it is a call that needs approval.
func (w *Wait) IsCall() bool { return w.Tool != "" }

// isOver reports whether the time for an answer is up.
func (w *Wait) isOver() bool { return w.Until != nil && !time.Now().Before(*w.Until) }

// answered returns the record of an answer, without its data.
func (w *Wait) answered() journal.Record {
	return journal.Record{Kind: journal.Answered, Unit: w.attempt, Call: w.Call}
}

// ReadWaits reads from the journal what a run waits for. It returns that in the order of the
// steps and of their elements.
func ReadWaits(from *journal.Reader, waits history.Waits, list []journal.Step) (all []Wait, err error) {
	for _, waiting := range waits {
		r, data, err := from.DataAt(waiting.At)
		if err != nil {
			return nil, err
		}
		is, err := readWait(waiting, r, data)
		if err != nil {
			return nil, err
		}
		all = append(all, is)
	}
	in := orderOf(list)
	slices.SortStableFunc(all, func(a, b Wait) int { return in.compare(a.Unit, b.Unit) })
	return all, nil
}

// An order is that of the steps of a file: how many come before each, by its path.
type order map[string]int

func orderOf(list []journal.Step) order {
	o := make(order, len(list))
	for i, step := range list {
		o[step.Path] = i
	}
	return o
}

// rank returns the place of a step. Those that the file does not have, from before it changed, come last.
func (o order) rank(path string) int {
	if i, known := o[path]; known {
		return i
	}
	return len(o)
}

// compare compares units, whatever their attempts are: from the outside in by their step, round and element.
func (o order) compare(a, b journal.Address) int { return slices.Compare(o.key(a), o.key(b)) }

func (o order) key(u journal.Address) (key []int) {
	var at journal.Address
	for part := range u.Parts() {
		at = at.Child(part.Name)
		key = append(key, o.rank(at.String()), part.Round, part.Element)
	}
	return key
}

// readWait reads the question in a record.
func readWait(w history.Wait, r journal.Record, data []byte) (is Wait, err error) {
	is = Wait{Unit: w.Unit.WithAttempt(0), attempt: w.Unit, Call: w.Call, Label: r.Label, Since: r.Time}
	if !r.Until.IsZero() {
		is.Until = &r.Until
	}
	var asked struct {
		journal.Question
		steps.Pending
	}
	if err := json.Unmarshal(data, &asked); err != nil {
		return is, fmt.Errorf("record %d: %w", r.Seq, err)
	}
	q, c := asked.Question, asked.Pending
	is.Question, is.Choices, is.Schema, is.Default, is.Comment, is.Recipe = q.Text, q.Choices, q.Schema, q.Default, q.Comment, q.Recipe
	is.Tool, is.Arguments, is.Rule = c.Tool, c.Arguments, c.Rule
	return is, nil
}

// A Question is the question of a step to a person.
type Question struct {
	Wait
	Workflow string // its name
	step     *workflows.Step
	comment  string
}

// SetComment gives a comment with the answer, if the question asks for one. It has to be called before
// the answer is returned.
func (q *Question) SetComment(text string) { q.comment = text }

// Parse reads an answer as a person types it. The error says what is expected.
func (q *Question) Parse(text string) (any, error) { return q.step.Question.Parse(text) }

// Check returns an error if a value, which is plain data, does not fit the question.
func (q *Question) Check(value any) error { return q.step.Question.Check(value) }

// ParseDefault returns the value of Default.
func (q *Question) ParseDefault() (value any, err error) {
	err = jsonline.Decode(q.Default, &value)
	return value, err
}
