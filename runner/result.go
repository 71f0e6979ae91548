package runner

import (
	"errors"
	"fmt"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
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

	// NotBegun has the paths of steps that are not in Steps since they begin after an answer, in the
	// file's order: those beside a step in Steps, but for what is inside of an element.
	NotBegun []string `json:"-"`

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

// A WorkflowRef identifies the workflow that ran, by its content.
type WorkflowRef = journal.WorkflowRef

// A Failure says why a run did not succeed. Step is the first one, in the file's order,
// that did not succeed; "" if it was no step's failure.
type Failure struct {
	Step string          `json:"step,omitempty"`
	Unit journal.Address `json:"unit,omitzero"` // the step, or its element that failed
	steps.Error
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
