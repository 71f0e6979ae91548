package view

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/textdiff"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Comparison says how two runs differ.
type Comparison struct {
	Before  *Measured        `json:"before"`
	After   *Measured        `json:"after"`
	Files   []string         `json:"files,omitempty"`   // the workflows' files that differ
	Inputs  []Difference     `json:"inputs,omitempty"`  // by name
	Outputs []Difference     `json:"outputs,omitempty"` // by name
	Steps   []StepComparison `json:"steps"`             // the steps that differ in more than their time
	Check   *Verdict         `json:"check,omitempty"`   // of [Comparison.Judge]
}

// A Measured has the numbers of a run or a step.
type Measured struct {
	RunID      string      `json:"run_id,omitempty"`
	Workflow   string      `json:"workflow,omitempty"`
	Status     string      `json:"status"`
	Continued  bool        `json:"continued,omitempty"` // of a step: its failure counts as success
	StopReason string      `json:"stop_reason,omitempty"`
	Error      string      `json:"error,omitempty"` // its kind
	Models     []string    `json:"models,omitempty"`
	Turns      int         `json:"turns"`
	Cached     int         `json:"cached_turns"` // turns with kept answers, which were not paid for
	Calls      int         `json:"tool_calls"`
	Denied     int         `json:"denied_calls"`
	Tokens     int64       `json:"tokens"`
	Cost       runner.Cost `json:"cost_usd"`
	TookMS     int64       `json:"duration_ms"`
	Failures   int         `json:"-"` // of a run: elements, and steps without elements, that did not succeed
	dir        string      // of a run
}

// A Difference is a value that differs between two runs; nil in a run that does not have it.
// Diff has the lines that differ in long values.
type Difference struct {
	Name   string `json:"name"`
	Before any    `json:"before"`
	After  any    `json:"after"`
	Diff   string `json:"diff,omitempty"`
}

// A StepComparison says how a step differs. If only one of the runs has the step, the other
// side is nil.
type StepComparison struct {
	Step     string       `json:"step"`
	Before   *Measured    `json:"before"`
	After    *Measured    `json:"after"`
	Elements []Difference `json:"elements,omitempty"`      // the elements whose status differs
	More     int          `json:"more_elements,omitempty"` // how many other elements differ
}

// The most of a comparison that is shown.
const (
	maxElements = 20 // elements of a step
	maxLines    = 40 // of a diff
)

// Compare compares the runs in two folders. Neither has to have ended. Memory grows with the
// number of their units.
func Compare(before, after string) (*Comparison, error) {
	a, err := readSide(before)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", before, err)
	}
	b, err := readSide(after)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", after, err)
	}
	c := &Comparison{Before: a.measured(), After: b.measured(), Steps: []StepComparison{}}
	for _, file := range keysOf(a.past.Start.Files, b.past.Start.Files) {
		if a.past.Start.Files[file] != b.past.Start.Files[file] {
			c.Files = append(c.Files, file)
		}
	}
	c.Inputs = differences(a.past.Result.Inputs, b.past.Result.Inputs)
	c.Outputs = differences(values(a.past.Result.Outputs), values(b.past.Result.Outputs))
	for _, path := range paths(a, b) {
		if step, err := compareStep(path, a, b); err != nil {
			return nil, err
		} else if step != nil {
			c.Steps = append(c.Steps, *step)
		}
	}
	return c, nil
}

// A side is one of two runs.
type side struct {
	dir     string
	past    *Past
	steps   map[string]*PastStep
	results map[string]*runner.StepResult
	models  map[string][]string // those that a step asks, by its path; of the run by ""
}

func readSide(dir string) (*side, error) {
	s := &side{dir: dir, steps: map[string]*PastStep{}, results: map[string]*runner.StepResult{}, models: map[string][]string{}}
	var err error
	if s.past, err = ReadPast(dir); err != nil {
		return nil, err
	}
	if s.past.Broken != nil {
		return nil, s.past.Broken
	}
	for _, step := range s.past.Steps {
		s.steps[step.Path] = step
	}
	for _, step := range s.past.Result.Steps {
		s.results[step.Path()] = step
	}
	return s, s.readModels(dir)
}

// readModels reads which models the steps ask.
func (s *side) readModels(dir string) error {
	from, err := journal.OpenReader(dir)
	if err != nil {
		return err
	}
	defer from.Close()
	for r, err := range from.Records() {
		if err != nil {
			return err
		}
		if r.Kind != journal.Began {
			continue
		}
		data, err := from.Data(r)
		var work struct{ Agent *struct{ Models []string } }
		if err != nil || json.Unmarshal(data, &work) != nil || work.Agent == nil {
			continue
		}
		for _, path := range []string{"", r.Unit.Path()} {
			for _, model := range work.Agent.Models {
				if !slices.Contains(s.models[path], model) {
					s.models[path] = append(s.models[path], model)
				}
			}
		}
	}
	return nil
}

func (s *side) measured() *Measured {
	m := measure(s.past.Counts, string(s.past.State), s.past.Took())
	m.dir, m.RunID, m.Workflow, m.Cost, m.Models = s.dir, s.past.Start.RunID, s.past.Start.Workflow.Name, s.past.Cost(), s.models[""]
	for _, short := range s.past.Short {
		m.Failures += short.Failed
	}
	switch r := &s.past.Result; {
	case r.Error != nil:
		m.Error = string(r.Error.Kind)
	case r.Finished.IsZero():
		m.Error = string(steps.KindInternal)
	}
	return m
}

func measure(c Counts, status string, took time.Duration) *Measured {
	return &Measured{
		Status: status, Turns: c.Turns, Cached: c.Cached, Calls: c.Calls, Denied: c.Denied, Tokens: c.Tokens,
		Cost: runner.Cost{USD: c.CostUSD, Known: !c.Unpriced || c.Tokens == 0}, TookMS: took.Milliseconds(),
	}
}

// step returns the numbers of a step; nil if the run does not have it.
func (s *side) step(path string) *Measured {
	step := s.steps[path]
	if step == nil {
		return nil
	}
	m := measure(step.Counts, string(step.Status), 0)
	if m.Status == "" {
		m.Status = "not ended"
	}
	if r := step.Result; r != nil {
		m.StopReason, m.Continued = string(r.StopReason), r.Continued()
		if r.Error != nil {
			m.Error = string(r.Error.Kind)
		}
		if r.Duration != nil {
			m.TookMS = *r.Duration
		}
	}
	m.Models = slices.Sorted(slices.Values(s.models[path]))
	return m
}

// compareStep compares a step. It returns nil if the step differs in nothing but its time.
func compareStep(path string, a, b *side) (*StepComparison, error) {
	c := &StepComparison{Step: path, Before: a.step(path), After: b.step(path)}
	if c.Before == nil || c.After == nil {
		return c, nil
	}
	before, after := a.results[path], b.results[path]
	if before != nil && after != nil {
		if err := c.compareElements(before, after); err != nil {
			return nil, err
		}
	}
	same := *c.After
	same.TookMS = c.Before.TookMS
	if reflect.DeepEqual(same, *c.Before) && len(c.Elements) == 0 {
		return nil, nil
	}
	return c, nil
}

// compareElements compares the elements of a foreach that have the same item or, if items are
// not distinct, the same index.
func (c *StepComparison) compareElements(before, after *runner.StepResult) error {
	known := map[string]string{} // their states, by their names
	for e, err := range before.Elements() {
		if err != nil {
			return err
		}
		known[elementName(e)] = statusOf(e)
	}
	add := func(d Difference) {
		if len(c.Elements) == maxElements {
			c.More++
			return
		}
		c.Elements = append(c.Elements, d)
	}
	for e, err := range after.Elements() {
		if err != nil {
			return err
		}
		name := elementName(e)
		old, both := known[name]
		delete(known, name)
		switch {
		case !both:
			add(Difference{Name: name, After: statusOf(e)})
		case old != statusOf(e):
			add(Difference{Name: name, Before: old, After: statusOf(e)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		add(Difference{Name: name, Before: known[name]})
	}
	return nil
}

// elementName returns what distinguishes an element from the others: its item, or its index.
func elementName(e *runner.ElementResult) string {
	if item, err := jsonline.Encode(e.Item); err == nil && e.Item != nil {
		if text, is := e.Item.(string); is {
			return text
		}
		return Brief(string(item))
	}
	return strconv.Itoa(e.Index)
}

// statusOf returns the status of an element, with the kind of its error.
func statusOf(e *runner.ElementResult) string {
	if e.Error != nil {
		return fmt.Sprintf("%s (%s)", e.Status, e.Error.Kind.Words())
	}
	return string(e.Status)
}

// paths returns the paths of the steps of both runs: in the order of the second one, then
// those that only the first one has.
func paths(a, b *side) []string {
	var all []string
	for _, s := range []*side{b, a} {
		for _, step := range s.past.Steps {
			if !slices.Contains(all, step.Path) {
				all = append(all, step.Path)
			}
		}
	}
	return all
}

func values(v runner.Values) map[string]any {
	m := make(map[string]any, len(v))
	for _, value := range v {
		m[value.Name] = value.Value
	}
	return m
}

// differences returns the differences of two sets of values, by name.
func differences(before, after map[string]any) []Difference {
	var all []Difference
	for _, name := range keysOf(before, after) {
		x, y := jsonline.Indented(before[name]), jsonline.Indented(after[name])
		if x == y {
			continue
		}
		d := Difference{Name: name, Before: before[name], After: after[name]}
		const short = 60
		if len(x) > short || len(y) > short {
			d.Diff = textdiff.Lines(x, y, maxLines)
		}
		all = append(all, d)
	}
	return all
}

// keysOf returns the keys of both, sorted.
func keysOf[V any](a, b map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}
