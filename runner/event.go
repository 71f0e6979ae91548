package runner

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/steps"
)

// The types of events of a run and its steps. Those inside a step are in package steps.
const (
	RunStarted   steps.EventType = "run_started"
	RunFinished  steps.EventType = "run_finished"
	StepStarted  steps.EventType = "step_started"
	StepFinished steps.EventType = "step_finished"
	Asked        steps.EventType = "asked" // a step, or a pending call, waits for a person
)

// An Event is one thing that happened in a run: one line of its stream. A field that does
// not apply is zero, and absent from the line. The tags serve for reading; writing is
// quicker without reflection.
type Event struct {
	Seq   int64     `json:"seq"`
	Time  time.Time `json:"time"`
	RunID string    `json:"run_id"`

	// Unit is the unit in which it happened; for what an attempt does, the attempt. The
	// four fields after it are its parts.
	Unit  unit.Unit `json:"unit"`
	Step  string    `json:"step"`  // the step's path: group/inner
	Index *int      `json:"index"` // of the element that the unit is, or is in
	Place string    `json:"place"` // if Step and Index are ambiguous: the path with every index and round
	Round int       `json:"round"` // of the group around it, from 1; 0 outside of groups that repeat

	// StepAttempt is the number of the step's attempt, from 2; 0 in the first one. A
	// retry without a turn announces such an attempt; one with a turn repeats a request
	// to the model.
	StepAttempt int `json:"step_attempt"`

	Items    *int          `json:"items"`       // step_started of a foreach: how many elements
	Item     string        `json:"item"`        // step_started of an element that is text: its beginning
	LeftOut  int           `json:"left_out"`    // step_started of a foreach: how many more elements its when left out
	Label    string        `json:"label"`       // step_started and step_finished of an element: its name for people
	StepKind string        `json:"kind"`        // step_started
	Status   steps.Status  `json:"-"`           // step_finished, run_finished
	Reason   steps.Reason  `json:"stop_reason"` // step_finished
	Failure  *steps.Error  `json:"-"`           // step_finished, run_finished
	Elapsed  time.Duration `json:"-"`
	Turns    int           `json:"turns"` // step_finished of an agent, as its result counts them
	Calls    int           `json:"tool_calls"`
	Workflow string        `json:"workflow"` // run_started

	// Earlier counts the elements of a foreach that ended in earlier processes: in its
	// step_started, if the foreach is resumed.
	Earlier ElementCounts `json:"-"`

	// Came is the result of a step or an element over all processes, its numbers only:
	// in its step_finished.
	Came *StepResult `json:"-"`

	steps.Event // what happened inside the step; its Type is the event's
}

// MarshalJSON writes the event as one line of the stream, without the newline.
func (e Event) MarshalJSON() ([]byte, error) {
	var o jsonline.Object
	e.write(&o)
	return o.Line()
}

// write writes the fields of the line in their order.
func (e *Event) write(o *jsonline.Object) {
	o.Int("seq", e.Seq)
	o.Time("time", e.Time)
	o.Text("type", string(e.Type))
	o.Text("run_id", e.RunID)
	e.writeSite(o)
	o.IntIf("step_attempt", e.StepAttempt)
	o.TextIf("workflow", e.Workflow)
	o.TextIf("item", e.Item)
	o.TextIf("label", e.Label)
	o.TextIf("kind", e.StepKind)
	if e.Items != nil {
		o.Int("items", int64(*e.Items))
	}
	o.IntIf("left_out", e.LeftOut)
	o.TextIf("status", cmp.Or(string(e.Event.Status), string(e.Status)))
	o.TextIf("stop_reason", string(e.Reason))
	o.IntIf("turns", e.Turns)
	o.IntIf("tool_calls", e.Calls)
	writeInner(o, &e.Event)
	e.writeEnd(o)
}

// writeSite writes where it happened.
func (e *Event) writeSite(o *jsonline.Object) {
	o.TextIf("step", e.Step)
	if e.Index != nil {
		o.Int("index", int64(*e.Index))
	}
	o.TextIf("place", e.Place)
	o.IntIf("round", e.Round)
	o.TextIf("unit", e.Unit.String())
}

// writeInner writes what happened inside the step.
func writeInner(o *jsonline.Object, e *steps.Event) {
	o.IntIf("turn", e.Turn)
	if e.Block != nil {
		o.Int("block", int64(*e.Block))
	}
	o.TextIf("block_type", e.Kind)
	o.TextIf("delta", e.Delta)
	if e.Value != nil {
		writeValue(o, "value", e.Value)
	}
	o.TextIf("model", e.Model)
	o.TextIf("finish", e.Finish)
	if e.Usage != nil {
		writeValue(o, "usage", e.Usage)
	}
	if e.Cost != nil {
		o.Float("cost_usd", *e.Cost)
	}
	if e.Cached {
		o.Bool("cached", true)
	}
	if e.Saved != nil {
		o.Float("saved_usd", *e.Saved)
	}
	o.TextIf("call_id", e.CallID)
	o.TextIf("tool", e.Tool)
	if len(e.Input) > 0 {
		o.JSON("input", e.Input)
	}
	o.TextIf("rule", e.Rule)
	if e.Truncated {
		o.Bool("truncated", true)
	}
	o.IntIf("attempt", e.Attempt)
	o.TextIf("message", e.Message)
}

func writeValue(o *jsonline.Object, name string, value json.Marshaler) {
	data, err := value.MarshalJSON()
	if err != nil {
		o.Fail(err)
		return
	}
	o.Whole(name, data)
}

// writeEnd writes how it ended, and how long it took.
func (e *Event) writeEnd(o *jsonline.Object) {
	if e.Failure != nil {
		o.TextIf("error", e.Failure.Message)
		o.TextIf("error_kind", string(e.Failure.Kind))
	} else {
		o.TextIf("error", e.Event.Error)
	}
	switch e.Type {
	case StepFinished, RunFinished:
		o.Int("duration_ms", e.Elapsed.Milliseconds())
	case steps.CallFinished:
		o.Int("duration_ms", e.Duration.Milliseconds())
	case steps.Retry:
		o.Int("wait_ms", e.Wait.Milliseconds())
	}
}

func duration(ms *int64) time.Duration {
	return time.Duration(deref(ms)) * time.Millisecond
}

func milliseconds(d time.Duration) *int64 {
	ms := d.Milliseconds()
	return &ms
}
