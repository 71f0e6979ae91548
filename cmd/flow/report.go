package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A report is what the folder of a run tells: run.json, or, where the run was
// killed before it was written, what its events come to.
type report struct {
	Version  int    `json:"version"`
	RunID    string `json:"run_id"`
	Workflow struct {
		Name string `json:"name"`
		File string `json:"file,omitempty"`
	} `json:"workflow"`
	Status   string          `json:"status,omitempty"` // failed for a run that was killed
	Error    *reportedError  `json:"error,omitempty"`
	Duration int64           `json:"duration_ms,omitempty"`
	Usage    providers.Usage `json:"usage"`
	Cost     *float64        `json:"cost_usd"`
	Unpriced []string        `json:"unpriced_models,omitempty"`
	Steps    reportedSteps   `json:"steps"`

	raw []byte // run.json as it stands
	cut bool   // the run was killed: nothing says how it ended
}

type reportedError struct {
	Step    string `json:"step,omitempty"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// A reportedStep is what became of a step, of all its elements together.
type reportedStep struct {
	Path      string           `json:"-"`
	Kind      string           `json:"kind,omitempty"`
	Status    string           `json:"status,omitempty"` // absent for one that had not ended
	Reason    string           `json:"stop_reason,omitempty"`
	Turns     int              `json:"turns,omitempty"`
	Calls     int              `json:"tool_calls,omitempty"`
	Denied    []reportedDenial `json:"denied_calls,omitempty"`
	Truncated int              `json:"truncated_outputs,omitempty"`
	Usage     *providers.Usage `json:"usage,omitempty"`
	Cost      *float64         `json:"cost_usd,omitempty"`
	Duration  int64            `json:"duration_ms,omitempty"`
	Error     *reportedError   `json:"error,omitempty"`
	Results   []reportedStep   `json:"results,omitempty"`
	Index     int              `json:"index,omitempty"`
}

type reportedDenial struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	Rule  string          `json:"rule"`
}

// reportedSteps are steps in the order of the file.
type reportedSteps []*reportedStep

// UnmarshalJSON reads an object of steps by path, and keeps its order.
func (s *reportedSteps) UnmarshalJSON(data []byte) error {
	var byPath map[string]*reportedStep
	if err := json.Unmarshal(data, &byPath); err != nil {
		return err
	}
	*s = nil
	for _, path := range keysOf(data) {
		if step := byPath[path]; step != nil {
			step.Path = path
			*s = append(*s, step)
		}
	}
	return nil
}

// MarshalJSON writes them as they are read.
func (s reportedSteps) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, step := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(step.Path)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(step)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%s", key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// mostReportBytes bounds what is read of a run's folder.
const mostReportBytes = 1 << 30

// readReport reads the folder of a run.
func readReport(dir string) (*report, error) {
	file, err := os.Open(filepath.Join(dir, "run.json"))
	if errors.Is(err, os.ErrNotExist) {
		return replayed(dir)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, mostReportBytes))
	if err != nil {
		return nil, err
	}
	r := &report{raw: data}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("run.json: %w", err)
	}
	return r, nil
}

// write gives the error on a line, and its hint on another.
func (e *reportedError) write(w io.Writer, indent string) {
	where := ""
	if e.Step != "" {
		where = fmt.Sprintf("step %q: ", e.Step)
	}
	fmt.Fprintf(w, "%serror: %s%s (%s)\n", indent, visible(where), brief(e.Message), visible(e.Kind))
	if e.Hint != "" {
		fmt.Fprintf(w, "%shint: %s\n", indent, visible(e.Hint))
	}
}

// write gives a step's line, and under it what went wrong in it.
func (s *reportedStep) write(w io.Writer) {
	status := s.Status
	if status == "" {
		status = "cut off"
	}
	fmt.Fprintf(w, "  %s %s", pad(visible(s.Path), 20), pad(visible(status), 9))
	if amounts := s.tally().amounts(); amounts != "" {
		fmt.Fprintf(w, " %s", amounts)
	}
	if s.Reason != "" && s.Reason != "completed" {
		fmt.Fprintf(w, " [%s]", visible(s.Reason))
	}
	fmt.Fprintln(w)
	if s.Error != nil && s.Status != "succeeded" {
		s.Error.write(w, "      ")
	}
	s.writeDenials(w, "")
	for _, r := range s.Results {
		r.writeDenials(w, fmt.Sprintf("[%d] ", r.Index))
		if r.Error != nil {
			fmt.Fprintf(w, "      [%d] ", r.Index)
			r.Error.write(w, "")
		}
	}
}

// writeDenials gives a line for each denied call.
func (s *reportedStep) writeDenials(w io.Writer, element string) {
	if element == "" && len(s.Results) > 0 {
		return // the elements tell theirs
	}
	for _, d := range s.Denied {
		fmt.Fprintf(w, "      %sdenied: %s%s\n", element, describeCall(d.Tool, d.Input), because(d.Rule, ""))
	}
}

// tally is the step's amounts, in the form in which progress shows them too.
func (s *reportedStep) tally() *tally {
	t := &tally{turns: s.Turns, calls: s.Calls, denied: len(s.Denied), truncated: s.Truncated}
	if s.Usage != nil {
		t.tokens = s.Usage.Total()
	}
	if s.Cost != nil {
		t.cost = *s.Cost
	}
	t.unpriced = s.Cost == nil
	return t
}
