package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A recordedEvent is a line of events.jsonl, as far as a report needs it.
type recordedEvent struct {
	Time     time.Time        `json:"time"`
	Type     string           `json:"type"`
	RunID    string           `json:"run_id"`
	Step     string           `json:"step"`
	Index    *int             `json:"index"`
	Workflow string           `json:"workflow"`
	Kind     string           `json:"kind"`
	Status   string           `json:"status"`
	Reason   string           `json:"stop_reason"`
	Tool     string           `json:"tool"`
	Input    json.RawMessage  `json:"input"`
	Rule     string           `json:"rule"`
	Usage    *providers.Usage `json:"usage"`
	Cost     *float64         `json:"cost_usd"`
	Error    string           `json:"error"`
	ErrKind  string           `json:"error_kind"`
	Duration int64            `json:"duration_ms"`
	Cut      bool             `json:"truncated"`
}

// mostEventBytes bounds one event of a folder.
const mostEventBytes = 64 << 20

// eachEvent reads the events of a run until f says that it is enough. The last
// line of a run that was killed may be half of one: it is left out.
func eachEvent(dir string, f func(recordedEvent) (more bool)) error {
	file, err := os.Open(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 64<<10), mostEventBytes)
	for lines.Scan() {
		var e recordedEvent
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		if !f(e) {
			return nil
		}
	}
	return lines.Err()
}

// firstEvent reads no more of a run than its first line.
func firstEvent(dir string) (first recordedEvent, err error) {
	found := false
	err = eachEvent(dir, func(e recordedEvent) bool {
		first, found = e, true
		return false
	})
	if err == nil && !found {
		err = errors.New("there is no event")
	}
	return first, err
}

// replayed puts a report together from the events of a run.
func replayed(dir string) (*report, error) {
	r := &report{Version: 1}
	steps := map[string]*reportedStep{}
	var began, last time.Time
	priced, cost := true, 0.0
	err := eachEvent(dir, func(e recordedEvent) bool {
		if began.IsZero() {
			began = e.Time
		}
		last, r.RunID = e.Time, e.RunID
		switch {
		case e.Step != "":
			step := steps[e.Step]
			if step == nil {
				step = &reportedStep{Path: e.Step, Kind: e.Kind}
				steps[e.Step] = step
				r.Steps = append(r.Steps, step)
			}
			step.take(e)
		case e.Type == "run_started":
			r.Workflow.Name = e.Workflow
		case e.Type == "run_finished":
			r.Status = e.Status
		}
		if e.Type == "turn_finished" && e.Usage != nil {
			r.Usage = r.Usage.Add(*e.Usage)
			priced = priced && e.Cost != nil
			if e.Cost != nil {
				cost += *e.Cost
			}
		}
		return true
	})
	if r.Status == "" {
		r.cut, r.Status = true, "failed"
		r.Error = &reportedError{Kind: "internal", Message: "the run did not end: it was killed, or still runs"}
	}
	r.Duration = last.Sub(began).Milliseconds()
	if priced {
		r.Cost = &cost
	}
	if err == nil && r.RunID == "" {
		err = errors.New("events.jsonl: there is no event")
	}
	return r, err
}

// take counts an event of the step or of one of its elements.
func (s *reportedStep) take(e recordedEvent) {
	switch e.Type {
	case "turn_finished":
		s.Turns++
		if e.Usage != nil {
			if s.Usage == nil {
				s.Usage, s.Cost = &providers.Usage{}, new(float64)
			}
			*s.Usage = s.Usage.Add(*e.Usage)
		}
		switch {
		case e.Cost == nil:
			s.Cost = nil
		case s.Cost != nil:
			*s.Cost += *e.Cost
		}
	case "call_finished":
		s.Calls++
		if e.Cut {
			s.Truncated++
		}
		if e.Status == "denied" {
			s.Denied = append(s.Denied, reportedDenial{Tool: e.Tool, Input: e.Input, Rule: e.Rule})
		}
	case "step_finished":
		s.finish(e)
	}
}

// finish keeps how the step ended; of an element only that it did not end well.
func (s *reportedStep) finish(e recordedEvent) {
	var failed *reportedError
	if e.Error != "" {
		failed = &reportedError{Kind: e.ErrKind, Message: e.Error}
	}
	if e.Index != nil {
		if failed != nil {
			s.Results = append(s.Results, reportedStep{Index: *e.Index, Status: e.Status, Error: failed})
		}
		return
	}
	s.Status, s.Reason, s.Duration, s.Error = e.Status, e.Reason, e.Duration, failed
}
