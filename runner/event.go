package runner

import (
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
)

// The types of events of a run and its steps; those inside a step are in
// package steps.
const (
	RunStarted   steps.EventType = "run_started"
	RunFinished  steps.EventType = "run_finished"
	StepStarted  steps.EventType = "step_started"
	StepFinished steps.EventType = "step_finished"
)

// An Event is one thing that happened in a run: one line of its stream. What
// does not apply is absent from the line.
type Event struct {
	Seq   int64
	Time  time.Time
	RunID string

	Step  string // the step's path: group/inner
	Index *int   // of the element, its own or that of the one it is in
	Place string // where Step and Index could mean several: the path with every index and round
	Round int    // of the group around it, from 1; 0 outside of groups that repeat

	// StepAttempt is which attempt of the step this is, from 2; 0 in the first.
	// A retry that announces one is of the step and has no turn; any other is of
	// a model's request.
	StepAttempt int

	Items    *int         // step_started of a foreach: how many elements
	StepKind string       // step_started
	Status   steps.Status // step_finished, run_finished
	Reason   steps.Reason // step_finished
	Failure  *steps.Error // step_finished, run_finished
	Elapsed  time.Duration
	Turns    int // step_finished of an agent, as its result counts them
	Calls    int
	Workflow string // run_started

	steps.Event // what happened inside the step; its Type is the event's
}

// MarshalJSON writes the event as one line of the stream, without the newline.
func (e Event) MarshalJSON() ([]byte, error) { return encode(e.line(), "") }

func (e *Event) line() *eventLine {
	line := &eventLine{
		Seq: e.Seq, Time: e.Time, Type: e.Type, RunID: e.RunID,
		Step: e.Step, Index: e.Index, Place: e.Place, Round: e.Round, StepAttempt: e.StepAttempt,
		Items: e.Items, StepKind: e.StepKind, Workflow: e.Workflow,
		Status: string(e.Status), Reason: e.Reason, Turns: e.Turns, Calls: e.Calls, Event: e.Event,
	}
	if e.Event.Status != "" {
		line.Status = string(e.Event.Status)
	}
	if e.Failure != nil {
		line.Error, line.ErrorKind = e.Failure.Message, e.Failure.Kind
	} else {
		line.Error = e.Event.Error
	}
	switch e.Type {
	case StepFinished, RunFinished:
		line.DurationMS = milliseconds(e.Elapsed)
	case steps.CallFinished:
		line.DurationMS = milliseconds(e.Duration)
	case steps.Retry:
		line.WaitMS = milliseconds(e.Wait)
	}
	return line
}

// An eventLine is an event as it is written. Its fields stand over those of the
// same name in steps.Event.
type eventLine struct {
	Seq   int64           `json:"seq"`
	Time  time.Time       `json:"time"`
	Type  steps.EventType `json:"type"`
	RunID string          `json:"run_id"`

	Step  string `json:"step,omitempty"`
	Index *int   `json:"index,omitempty"`
	Place string `json:"place,omitempty"`
	Round int    `json:"round,omitempty"`

	StepAttempt int `json:"step_attempt,omitempty"`

	Workflow string       `json:"workflow,omitempty"`
	StepKind string       `json:"kind,omitempty"`
	Items    *int         `json:"items,omitempty"`
	Status   string       `json:"status,omitempty"`
	Reason   steps.Reason `json:"stop_reason,omitempty"`
	Turns    int          `json:"turns,omitempty"`
	Calls    int          `json:"tool_calls,omitempty"`

	steps.Event

	Error      string     `json:"error,omitempty"`
	ErrorKind  steps.Kind `json:"error_kind,omitempty"`
	DurationMS *int64     `json:"duration_ms,omitempty"`
	WaitMS     *int64     `json:"wait_ms,omitempty"`
}

func duration(ms *int64) time.Duration {
	return time.Duration(deref(ms)) * time.Millisecond
}

func milliseconds(d time.Duration) *int64 {
	ms := d.Milliseconds()
	return &ms
}
