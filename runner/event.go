package runner

import (
	"path"
	"strconv"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
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
// not apply is zero, and absent from the line. The fields stand in the order that they have
// there.
type Event struct {
	Seq   int64     `json:"seq"`
	Time  time.Time `json:"time"`
	RunID string    `json:"run_id"`

	Step  string          `json:"step,omitzero"`  // the step's path: group/inner
	Index *int            `json:"index,omitzero"` // of the nearest element that the unit is, or is in
	Place string          `json:"place,omitzero"` // if Step and Index are ambiguous: the path with every index, and the later rounds and attempts
	Round int             `json:"round,omitzero"` // of the nearest group around it, from 1; 0 outside of groups that repeat
	Unit  journal.Address `json:"unit,omitzero"`  // in which it happened; for what an attempt does, the attempt. The fields before are its parts

	// StepAttempt is the number of the step's attempt, from 2; 0 in the first one. A
	// retry without a turn announces such an attempt; one with a turn repeats a request
	// to the model.
	StepAttempt int `json:"step_attempt,omitzero"`

	Workflow string       `json:"workflow,omitzero"`    // run_started
	Item     string       `json:"item,omitzero"`        // step_started of an element that is text: its beginning
	Label    string       `json:"label,omitzero"`       // step_started and step_finished of an element: its name for people
	StepKind string       `json:"kind,omitzero"`        // step_started
	Items    *int         `json:"items,omitzero"`       // step_started of a foreach: how many elements
	LeftOut  int          `json:"left_out,omitzero"`    // step_started of a foreach: how many more elements its when left out
	Status   steps.Status `json:"status,omitzero"`      // step_finished, run_finished; of a call_finished it is Event.Status
	Reason   steps.Reason `json:"stop_reason,omitzero"` // step_finished
	// Continued says that the step failed, or was stopped at a limit, and counts as success
	// because of on_error: continue.
	Continued bool          `json:"continued,omitzero"` // step_finished
	Tolerated bool          `json:"-"`                  // step_finished: or a step around it has that, so that no run fails because of it
	Failure   *steps.Error  `json:"-"`                  // step_finished, run_finished
	Elapsed   time.Duration `json:"-"`
	Turns     int           `json:"turns,omitzero"` // step_finished of an agent, as its result counts them
	Calls     int           `json:"tool_calls,omitzero"`

	// Earlier counts the elements of a foreach that ended in earlier processes: in its
	// step_started, if the foreach is resumed.
	Earlier ElementCounts `json:"-"`

	// Counts are those of a foreach: in its step_finished.
	Counts *ElementCounts `json:"-"`

	// Came are the numbers of a step or an element over all processes: in its
	// step_finished.
	Came *history.Counts `json:"-"`

	steps.Event // what happened inside the step; its Type is the event's
}

// locate sets the parts of the event's unit.
func (e *Event) locate() {
	if e.Unit.IsZero() {
		return
	}
	e.Step, e.Place = e.Unit.Path(), placeOf(e.Unit)
	for part := range e.Unit.Parts() {
		if part.Round > 0 {
			e.Round = part.Round
		}
		if part.Element >= 0 {
			e.Index = new(part.Element)
		}
	}
	if n := e.Unit.Attempt(); n > 1 {
		e.StepAttempt = n
	}
}

// placeOf returns the path of a unit with the index of every element, and with the rounds and attempts from
// the second on: pages/3/review@round-2. It is "" if the path and one index say as much.
func placeOf(u journal.Address) string {
	place, later, elements := "", "", 0
	for part := range u.Parts() {
		if place = path.Join(place, part.Name); part.Element >= 0 {
			place = path.Join(place, strconv.Itoa(part.Element))
			elements++
		}
		if part.Round > 1 {
			later += "@round-" + strconv.Itoa(part.Round)
		}
		if part.Attempt > 1 {
			later += "@attempt-" + strconv.Itoa(part.Attempt)
		}
	}
	if elements < 2 && later == "" {
		return ""
	}
	return place + later
}

// An eventLine is the JSON of an event. What is beside eventFields replaces members of those, or
// moves them.
type eventLine struct {
	Seq   int64           `json:"seq"`
	Time  time.Time       `json:"time"`
	Type  steps.EventType `json:"type"`
	RunID string          `json:"run_id"`
	*eventFields
	Error      string     `json:"error,omitzero"`
	ErrorKind  steps.Kind `json:"error_kind,omitzero"`
	DurationMS *int64     `json:"duration_ms,omitzero"`
	WaitMS     *int64     `json:"wait_ms,omitzero"`
}

// eventFields are those of an [Event], without its methods.
type eventFields Event

func (e Event) line() eventLine {
	line := eventLine{Seq: e.Seq, Time: e.Time, Type: e.Type, RunID: e.RunID, eventFields: (*eventFields)(&e), Error: e.Event.Error}
	if e.Failure != nil {
		line.Error, line.ErrorKind = e.Failure.Message, e.Failure.Kind
	}
	switch e.Type {
	case StepFinished, RunFinished:
		line.DurationMS = new(e.Elapsed.Milliseconds())
	case steps.CallFinished:
		line.eventFields.Status, line.DurationMS = steps.Status(e.Event.Status), new(e.Duration.Milliseconds())
	case steps.Retry:
		line.WaitMS = new(e.Wait.Milliseconds())
	}
	return line
}

// MarshalJSON writes the event as one line of the stream, without the newline.
func (e Event) MarshalJSON() ([]byte, error) { return jsonline.Encode(e.line()) }
