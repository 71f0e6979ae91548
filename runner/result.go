package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Result is the result of a run: run.json.
type Result struct {
	Version  int            `json:"version"`
	RunID    string         `json:"run_id"`
	Workflow WorkflowRef    `json:"workflow"`
	Status   steps.Status   `json:"status"`
	Error    *Failure       `json:"error,omitempty"`
	Started  time.Time      `json:"started_at"`
	Finished time.Time      `json:"finished_at,omitzero"`
	Duration int64          `json:"duration_ms"`
	Inputs   map[string]any `json:"inputs"`
	Outputs  Values         `json:"outputs"`
	Findings any            `json:"findings,omitempty"` // as the workflow's findings name them

	Unfound string `json:"-"` // why Findings lacks what the workflow may have found; "": it lacks nothing

	Usage    providers.Usage `json:"usage"`
	Cost     Cost            `json:"cost_usd"`
	Unpriced []string        `json:"unpriced_models"`

	Waiting []Wait `json:"waiting,omitempty"` // the questions that a person has to answer before the run continues

	Answered int `json:"-"` // how many questions the options of this process have answered

	Steps StepResults `json:"-"`

	// Running says that a process still works in the run: only in a result that was read
	// from its folder.
	Running bool `json:"-"`

	last *StepResult // the last step that ran; nil: none did
}

// ErrWaiting is the error of a run that waits for a person: see [Result].Waiting. It has none of the
// kinds of errors: compare it before [steps.KindOf], which takes it for one of flow's own.
var ErrWaiting = errors.New("the run waits for a person")

// Err returns nil if the run succeeded, [ErrWaiting] if it waits, and else why it did not succeed: a
// *[steps.Error], whose text begins with the path of the step that failed.
func (r *Result) Err() error {
	switch {
	case r.Status == steps.Succeeded:
		return nil
	case r.Status == steps.Waiting || r.Error == nil:
		return ErrWaiting
	case r.Error.Step == "":
		return &r.Error.Error
	}
	located := r.Error.Error
	located.Message = fmt.Sprintf("step %q: %s", r.Error.Step, located.Message)
	return &located
}

// MarshalJSON returns the contents of run.json, with secrets not hidden.
func (r *Result) MarshalJSON() ([]byte, error) { return marshal(r.write) }

// WriteJSON writes the contents of run.json, indented, with mask applied; nil hides
// nothing.
func (r *Result) WriteJSON(w io.Writer, mask *tools.Mask) error {
	return writeDocument(w, mask, r.write)
}

func (r *Result) write(d *document, depth int) {
	type fields Result // without the methods
	d.extended(depth, (*fields)(r), "steps", func(depth int) { d.steps(depth, r.Steps) })
}

// A WorkflowRef identifies the workflow that ran, by its content.
type WorkflowRef = journal.WorkflowRef

// A Failure says why a run did not succeed. Step is the first one, in the file's order,
// that did not succeed; "" if it was no step's failure.
type Failure struct {
	Step string       `json:"step,omitempty"`
	Unit journal.Unit `json:"unit,omitzero"` // the step, or its element that failed
	steps.Error
}

// A Cost is an amount in USD, or unknown, which is null: never a guess.
type Cost struct {
	USD   float64
	Known bool
}

// String returns the amount with its significant digits, such as $0.0125, or unknown.
func (c Cost) String() string {
	switch {
	case !c.Known:
		return "unknown"
	case c.USD != 0 && c.USD < 0.01:
		return "$" + quantity.USD(c.USD)
	}
	return fmt.Sprintf("$%.2f", c.USD)
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
	return marshal(func(d *document, depth int) {
		d.each(depth, "{}", len(v), func(depth, i int) {
			d.name(depth, v[i].Name)
			d.value(depth, v[i].Value)
		})
	})
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

// Top returns the steps that are inside no other. What is inside one is counted in it, too.
func (s StepResults) Top() iter.Seq[*StepResult] {
	return func(yield func(*StepResult) bool) {
		for _, step := range s {
			if !strings.Contains(step.path, "/") && !yield(step) {
				return
			}
		}
	}
}

// MarshalJSON writes an object, by path, whose keys keep the order.
func (s StepResults) MarshalJSON() ([]byte, error) {
	return marshal(func(d *document, depth int) { d.steps(depth, s) })
}

// A StepResult is the result of one step, with all of its elements.
type StepResult struct {
	Kind workflows.Kind
	Unit journal.Unit // for a step in a group, with the last round
	steps.Result

	Attempts int
	Rounds   int        // of a group with until
	Started  *time.Time // nil if it did not begin
	Duration *int64     // in milliseconds

	Counts *ElementCounts // of a foreach that has ended

	id       string
	path     string
	label    string        // of an element
	lacks    bool          // it was read back with a secret hidden in it
	unknown  bool          // it is that of a step that would run again
	forgive  bool          // its failure counts as success: on_error: continue
	fatal    bool          // its failure is the run's own, and never counts as success
	whole    *wholeText    // if Text was cut: all of it
	inner    []*StepResult // of a group or a used workflow
	elements *elements     // of a foreach that has begun
	speaks   int           // the element whose error is the step's error

	at        int64 // the offset of its record; 0: there is none
	exact     bool  // the journal has the result exactly
	done      done  // how far it has come, for what depends on it
	begun     bool  // it began in this process
	once      bool  // something in it has begun that may begin only once
	isOnce    bool  // that is the step itself
	tolerated bool  // of one that waits: a failure inside it counts as success
}

// Elements iterates over the results of a foreach's elements, in order; there are none for
// any other step. Each is read from the run's folder when its turn comes. An error ends the
// iteration.
func (r *StepResult) Elements() iter.Seq2[*ElementResult, error] {
	return func(yield func(*ElementResult, error) bool) {
		if r.elements == nil {
			return
		}
		for i := range r.elements.count() {
			element, err := r.elements.element(i)
			if !yield(element, err) || err != nil {
				return
			}
		}
	}
}

// HasElements reports whether the step is a foreach that has begun.
func (r *StepResult) HasElements() bool { return r.elements != nil }

// Path returns the step's path: group/inner.
func (r *StepResult) Path() string { return r.path }

// Inside returns the results of the steps inside an element, a group or a used workflow, at
// all depths.
func (r *StepResult) Inside() StepResults { return flatten(r.inner) }

// Failed returns the steps without elements that did not succeed, without those inside one
// that is returned.
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

// Tolerated reports for each step whether its failure counts as success, or that of a step around it.
func (s StepResults) Tolerated() []bool {
	all, outer := make([]bool, len(s)), "/" // which no path begins with
	for i, r := range s {
		if !strings.HasPrefix(r.path+"/", outer) && r.Continued() {
			outer = r.path + "/"
		}
		all[i] = strings.HasPrefix(r.path+"/", outer)
	}
	return all
}

// Continued reports whether the step failed, or was stopped at a limit, and counts as success
// because of on_error: continue.
func (r *StepResult) Continued() bool {
	return r.forgive && !r.fatal && (r.Status == steps.Failed || r.Status == steps.Stopped)
}

// good reports whether steps that need this one may run.
func (r *StepResult) good() bool {
	return r.Status == steps.Succeeded || r.Status == steps.Skipped || r.forgive && !r.fatal
}

// An ElementResult is the result of a step for one element of its foreach.
type ElementResult struct {
	Index int
	Item  any
	Label string // its name for people; "" if it has none
	StepResult
}

// Text returns the result for a person: the outputs, one a line, or a single one without
// its name. Without outputs it is the text of the last step, unless a check or a schema
// refused that. The text of a foreach is read from the run's folder, and empty if that is
// gone.
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

// text returns the values for a person.
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

// Text returns a value for a person: a string as it is, anything else as JSON.
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
