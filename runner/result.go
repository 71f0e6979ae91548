package runner

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Result is what a run came to: run.json.
type Result struct {
	Version  int            `json:"version"`
	RunID    string         `json:"run_id"`
	Workflow WorkflowRef    `json:"workflow"`
	Status   steps.Status   `json:"status"`
	Error    *Failure       `json:"error,omitempty"`
	Started  time.Time      `json:"started_at"`
	Finished time.Time      `json:"finished_at"`
	Duration int64          `json:"duration_ms"`
	Inputs   map[string]any `json:"inputs"`
	Outputs  Values         `json:"outputs"`
	Findings any            `json:"findings,omitempty"` // as the workflow's findings name them

	Usage    providers.Usage `json:"usage"`
	Cost     Cost            `json:"cost_usd"`
	Unpriced []string        `json:"unpriced_models"`

	Waiting []Wait `json:"waiting,omitempty"` // what a person has to answer before the run goes on

	Answered int `json:"-"` // how much of that the options of this process have answered

	Steps StepResults `json:"-"`

	// Running is set in a result that was read of a run that goes on in some
	// process.
	Running bool `json:"-"`

	last *StepResult // that ran; nil: none did
}

// MarshalJSON writes the result as run.json has it, but for secrets.
func (r *Result) MarshalJSON() ([]byte, error) { return marshal(r.write) }

// WriteJSON writes the result as run.json has it, on many lines. What mask hides
// is hidden; nil hides nothing.
func (r *Result) WriteJSON(w io.Writer, mask *tools.Mask) error {
	return writeDocument(w, mask, r.write)
}

func (r *Result) write(d *document, depth int) {
	type fields Result // without the methods
	d.open(depth, (*fields)(r))
	d.field(depth+1, "steps")
	d.steps(depth+1, r.Steps)
	d.line(depth)
	d.text("}")
}

// A WorkflowRef identifies the workflow that ran, by its content.
type WorkflowRef struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// A Failure is why a run did not succeed: the first step, in the file's order,
// that did not, or empty where it was none.
type Failure struct {
	Step string    `json:"step,omitempty"`
	Unit unit.Unit `json:"unit,omitzero"` // the element of that step, where it has some
	steps.Error
}

// A Cost is an amount in USD, or unknown, which is null: never a guess.
type Cost struct {
	USD   float64
	Known bool
}

// MarshalJSON writes the amount, or null.
func (c Cost) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return json.Marshal(c.USD)
}

// Values are named values in the file's order.
type Values []NamedValue

// A NamedValue is one of [Values].
type NamedValue struct {
	Name  string
	Value any
}

// MarshalJSON writes an object whose keys keep the order.
func (v Values) MarshalJSON() ([]byte, error) {
	return marshalOrdered(len(v), func(i int) (string, any) { return v[i].Name, v[i].Value })
}

func (v Values) asMap() map[string]any {
	values := make(map[string]any, len(v))
	for _, named := range v {
		values[named.Name] = named.Value
	}
	return values
}

// StepResults are the results of steps in the file's order.
type StepResults []*StepResult

// MarshalJSON writes an object, by path, whose keys keep the order.
func (s StepResults) MarshalJSON() ([]byte, error) {
	return marshal(func(d *document, depth int) { d.steps(depth, s) })
}

func marshalOrdered(n int, at func(i int) (string, any)) ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		name, value := at(i)
		key, err := jsonline.Encode(name)
		if err != nil {
			return nil, err
		}
		data, err := jsonline.Encode(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(data)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// A StepResult is what one step came to, all of its elements together.
type StepResult struct {
	Kind workflows.Kind
	Unit unit.Unit // of a group's step with the last round; the zero unit in results of older runs
	steps.Result

	Attempts int
	Rounds   int        // of a group with until
	Started  *time.Time // nil when it did not begin
	Duration *int64     // in milliseconds

	Counts *ElementCounts // of a foreach that has ended

	id       string
	path     string
	label    string        // of an element
	lacks    bool          // a secret is hidden in it, as it was read back
	forgive  bool          // its failure counts as success: on_error: continue
	fatal    bool          // its failure is the run's own, and never counts as success
	whole    *wholeText    // of a text that was cut; nil where Text is all of it
	inner    []*StepResult // of a group or a used workflow
	elements *elements     // of a foreach that has begun: they speak for it
	speaks   int           // the element whose error the step has
}

// Elements are the results of a foreach, in the order of its elements; none for
// any other step. They are read from the run's folder one by one. An error ends
// them.
func (r *StepResult) Elements() iter.Seq2[*ElementResult, error] {
	return func(yield func(*ElementResult, error) bool) {
		if r.elements == nil {
			return
		}
		for i := range r.elements.count {
			element, err := r.elements.element(i)
			if !yield(element, err) || err != nil {
				return
			}
		}
	}
}

// HasElements reports whether the step is a foreach that has begun.
func (r *StepResult) HasElements() bool { return r.elements != nil }

// Path is the step's path: group/inner.
func (r *StepResult) Path() string { return r.path }

// Inside are the results of what is inside of an element, or of a group: steps, and those
// in them.
func (r *StepResult) Inside() StepResults { return flatten(r.inner) }

// Failed are the steps without elements that did not succeed: of those inside of each
// other the outermost.
func (s StepResults) Failed() (failed StepResults) {
	outer := "/" // which no path begins with
	for _, r := range s {
		if r.Error != nil && r.Status != steps.Succeeded && r.Counts == nil && !strings.HasPrefix(r.path, outer) {
			outer = r.path + "/"
			failed = append(failed, r)
		}
	}
	return failed
}

// good reports whether what needs the step may run.
func (r *StepResult) good() bool {
	return r.Status == steps.Succeeded || r.Status == steps.Skipped || r.forgive && !r.fatal
}

// An ElementResult is what a step came to for one element of its foreach.
type ElementResult struct {
	Index int
	Item  any
	Label string // what people are told that it is called; "" where nothing says that
	StepResult
}

// Text is what the run has to say to a person: its outputs, one a line, a
// single one alone; without outputs the text of the last step, unless that was
// refused: its checks or its schema did not hold. That of a foreach is read from the
// run's folder, and empty where that is gone.
func (r *Result) Text() string {
	if len(r.Outputs) > 0 || r.last == nil {
		return r.Outputs.text()
	}
	if e := r.last.Error; e != nil && (e.Kind == steps.KindCheckFailed || e.Kind == steps.KindInvalidOutput) && r.last.elements == nil {
		return ""
	}
	text, _, err := r.last.said()
	if err != nil {
		return r.last.Text
	}
	return text
}

// text is the values as a person reads them.
func (v Values) text() string {
	if len(v) == 1 {
		return Text(v[0].Value)
	}
	var b strings.Builder
	for _, named := range v {
		fmt.Fprintf(&b, "%s: %s\n", named.Name, Text(named.Value))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Text is a value as a person reads it: a string as it is, anything else as
// JSON.
func Text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	}
	data, err := jsonline.Encode(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}
