package view

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
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
	RunID      string         `json:"run_id,omitempty"`
	Workflow   string         `json:"workflow,omitempty"`
	Status     string         `json:"status"`
	Continued  bool           `json:"continued,omitempty"` // of a step: its failure counts as success
	StopReason string         `json:"stop_reason,omitempty"`
	Error      string         `json:"error,omitempty"` // its kind
	Models     []string       `json:"models,omitempty"`
	Turns      int            `json:"turns"`
	Cached     int            `json:"cached_turns"` // turns with kept answers, which were not paid for
	Calls      int            `json:"tool_calls"`
	Denied     int            `json:"denied_calls"`
	Tokens     int64          `json:"tokens"`
	Cost       runner.Cost    `json:"cost_usd"`
	TookMS     int64          `json:"duration_ms"`
	Failures   int            `json:"-"` // of a run: elements, and steps without elements, that did not succeed
	result     *runner.Result // of a run
}

// A Difference is a value that differs between two runs; nil in a run that does not have it.
type Difference struct {
	Name   string `json:"name"`
	Before any    `json:"before"`
	After  any    `json:"after"`
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

// maxElements is how many elements of a step are listed.
const maxElements = 20

// Compare compares the runs in two folders. Neither has to have ended.
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
	for _, file := range keysOf(a.Start.Files, b.Start.Files) {
		if a.Start.Files[file] != b.Start.Files[file] {
			c.Files = append(c.Files, file)
		}
	}
	c.Inputs = differences(a.Result.Inputs, b.Result.Inputs)
	c.Outputs = differences(values(a.Result.Outputs), values(b.Result.Outputs))
	seen := map[string]bool{}
	for _, step := range slices.Concat(b.Steps, a.Steps) {
		if seen[step.Place] {
			continue
		}
		seen[step.Place] = true
		if differs, err := compareStep(step.Place, a, b); err != nil {
			return nil, err
		} else if differs != nil {
			c.Steps = append(c.Steps, *differs)
		}
	}
	return c, nil
}

// A side is one of two runs.
type side struct {
	*Past
	shown  map[string]*Unit    // the steps, by their paths
	models map[string][]string // those that a step asks, by its path; of the run by ""
}

func readSide(dir string) (*side, error) {
	f, err := openReading(dir)
	if err != nil {
		return nil, err
	}
	defer f.from.Close()
	s := &side{shown: map[string]*Unit{}, models: map[string][]string{}}
	f.also = func(_ *history.Unit, r journal.Record) {
		var work struct{ Agent *struct{ Models []string } }
		if r.Kind != journal.Began || r.Data == nil || f.from.Decode(r, &work) != nil || work.Agent == nil {
			return
		}
		for _, path := range []string{"", r.Unit.Path()} {
			s.models[path] = slices.Compact(slices.Sorted(slices.Values(append(s.models[path], work.Agent.Models...))))
		}
	}
	if err := f.read(); err != nil {
		return nil, err
	}
	if s.Past = f.Past; s.Broken != "" {
		return nil, errors.New(s.Broken)
	}
	for _, step := range s.Steps {
		s.shown[step.Place] = step
	}
	return s, nil
}

func (s *side) measured() *Measured {
	m := measure(s.Counts, string(s.State), s.TookMS)
	m.result, m.RunID, m.Workflow, m.Cost, m.Models = &s.Result, s.ID, s.Workflow, s.Cost, s.models[""]
	for _, short := range s.Short {
		m.Failures += short.Failed
	}
	switch r := &s.Result; {
	case r.Error != nil:
		m.Error = string(r.Error.Kind)
	case r.Finished.IsZero():
		m.Error = string(steps.KindInternal)
	}
	return m
}

func measure(c Counts, status string, tookMS int64) *Measured {
	return &Measured{
		Status: status, Turns: c.Turns, Cached: c.Cached, Calls: c.Calls, Denied: c.Denied, Tokens: c.Tokens,
		Cost: runner.Cost{USD: c.CostUSD, Known: !c.Unpriced || c.Tokens == 0}, TookMS: tookMS,
	}
}

// step returns the numbers of a step; nil if the run does not have it.
func (s *side) step(path string) *Measured {
	step := s.shown[path]
	if step == nil {
		return nil
	}
	m := measure(step.Counts, cmp.Or(string(step.Status), "not ended"), 0)
	if r := step.Result; r != nil {
		m.StopReason, m.Continued = string(r.StopReason), r.Continued()
		if r.Error != nil {
			m.Error = string(r.Error.Kind)
		}
		if r.Duration != nil {
			m.TookMS = *r.Duration
		}
	}
	m.Models = s.models[path]
	return m
}

// compareStep compares a step. It returns nil if the step differs in nothing but its time.
func compareStep(path string, a, b *side) (*StepComparison, error) {
	c := &StepComparison{Step: path, Before: a.step(path), After: b.step(path)}
	if c.Before == nil || c.After == nil {
		return c, nil
	}
	before, err := a.outcomes(path)
	if err != nil {
		return nil, err
	}
	after, err := b.outcomes(path)
	if err != nil {
		return nil, err
	}
	c.compareElements(before, after)
	same := *c.After
	same.TookMS = c.Before.TookMS
	if reflect.DeepEqual(same, *c.Before) && len(c.Elements) == 0 {
		return nil, nil
	}
	return c, nil
}

// compareElements compares what became of the elements of a foreach that have the same item.
func (c *StepComparison) compareElements(before, after []Difference) {
	old := map[string]any{}
	for _, e := range before {
		old[e.Name] = e.After
	}
	for _, e := range after {
		if e.Before = old[e.Name]; e.Before != e.After {
			c.Elements = append(c.Elements, e)
		}
		delete(old, e.Name)
	}
	for _, e := range before {
		if was := old[e.Name]; was != nil {
			c.Elements = append(c.Elements, Difference{Name: e.Name, Before: was})
		}
	}
	c.More = max(len(c.Elements)-maxElements, 0)
	c.Elements = c.Elements[:len(c.Elements)-c.More]
}

// outcomes returns what became of the elements of a step, each by its item or index, in words.
func (s *side) outcomes(path string) (all []Difference, err error) {
	result := s.shown[path].Result
	if result == nil {
		return nil, nil
	}
	for e, err := range result.Elements() {
		if err != nil {
			return nil, err
		}
		status := string(e.Status)
		if e.Error != nil {
			status += " (" + e.Error.Kind.Words() + ")"
		}
		all = append(all, Difference{Name: elementName(e.Index, e.Item), After: status})
	}
	return all, nil
}

func elementName(index int, item any) string {
	switch item := item.(type) {
	case nil:
		return strconv.Itoa(index)
	case string:
		return item
	}
	return Brief(runner.Text(item))
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
		if !reflect.DeepEqual(before[name], after[name]) {
			all = append(all, Difference{Name: name, Before: before[name], After: after[name]})
		}
	}
	return all
}

// keysOf returns the keys of both, sorted.
func keysOf[V any](a, b map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// A Verdict is the result of a condition over two runs.
type Verdict struct {
	Expression string `json:"expression"`
	Holds      bool   `json:"holds"`

	Why []workflows.Part `json:"-"` // the values of its parts
}

// Judge evaluates a condition over before and after: each like run.json, with the counts of the
// whole run added. The result is Check.
func (c *Comparison) Judge(condition *workflows.Gate) (err error) {
	seen := workflows.Env{}
	if seen["before"], err = c.Before.seen(); err == nil {
		seen["after"], err = c.After.seen()
	}
	if err != nil {
		return err
	}
	c.Check = &Verdict{Expression: condition.String(), Why: condition.Why(seen)}
	c.Check.Holds, err = condition.Holds(seen)
	return err
}

func (m *Measured) seen() (map[string]any, error) {
	data, err := json.Marshal(m.result)
	if err != nil {
		return nil, err
	}
	value, err := jsonline.DecodeExact(data)
	if err != nil {
		return nil, err
	}
	seen, _ := value.(map[string]any)
	seen["cached_turns"], seen["turns"], seen["tool_calls"], seen["denied_calls"], seen["tokens"] = m.Cached, m.Turns, m.Calls, m.Denied, int(m.Tokens)
	seen["failures"] = m.Failures
	if m.Status != "" {
		seen["status"] = m.Status
	}
	return seen, nil
}
