package runner

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/unit"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A replay puts the result of a run together from its events: of one that was
// killed, or still runs. Steps that had ended are read from their files.
type replay struct {
	dir    string
	result *Result
	steps  map[string]*replayedStep
	last   map[string]roundOf // of groups and used workflows, by path: the round and the attempts that were heard of last
}

// A roundOf is one run through a group: the group with all attempts around, and its
// round.
type roundOf struct {
	around unit.Unit
	round  int
}

// A replayedStep is a step, all of its elements together. Of these only those
// that did not end well are kept.
type replayedStep struct {
	*StepResult
	failures memoryShelf
	turns    turnCount
	whole    bool // the result is as it was written
}

// replayResult reads the events of a run that has no run.json.
func replayResult(dir string) (*Result, error) {
	empty := &Result{Version: 1, Inputs: map[string]any{}, Unpriced: []string{}}
	p := &replay{dir: dir, result: empty, steps: map[string]*replayedStep{}, last: map[string]roundOf{}}
	var last time.Time
	for e, err := range ReadEvents(dir) {
		if errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if err != nil {
			continue // what the others tell is told
		}
		last = e.Time
		p.take(e)
	}
	r := p.result
	if r.RunID == "" {
		return nil, errors.New("events.jsonl: there is no event")
	}
	r.Duration = last.Sub(r.Started).Milliseconds()
	r.Cost.Known = len(r.Unpriced) == 0
	if r.Status == "" {
		r.Status = steps.Failed
		r.Error = &Failure{Error: steps.Error{Kind: steps.KindInternal, Message: "the run did not end: it was killed, or still runs"}}
	}
	for _, step := range p.steps {
		step.close()
	}
	r.Running = r.Finished.IsZero() && goesOn(dir)
	return r, nil
}

func (p *replay) take(e Event) {
	r := p.result
	if r.RunID == "" {
		r.RunID, r.Started = e.RunID, e.Time
	}
	if e.Step != "" {
		p.renew(e)
		p.step(e).take(p.dir, e)
	}
	switch e.Type {
	case RunStarted:
		r.Workflow.Name = e.Workflow
	case RunFinished:
		r.Status = e.Status
		if e.Failure != nil {
			r.Error = &Failure{Error: *e.Failure}
		}
	}
	if e.Usage != nil {
		r.Usage = r.Usage.Add(*e.Usage)
		r.Cost.USD += deref(e.Cost)
		r.Unpriced = union(r.Unpriced, unpricedBy(e))
	}
}

// renew puts aside what is known of a group's steps when a step of another round
// begins, or of another attempt of something around it: results have the last one
// alone. Those of the elements of a group with foreach are all one step's.
func (p *replay) renew(e Event) {
	around, round := e.Unit.Parent(), e.Unit.Round()
	for part := range around.Parts() {
		if part.Element >= 0 {
			return
		}
	}
	group := around.Path()
	now := roundOf{around, round}
	if group == "" || now == p.last[group] {
		return
	}
	p.last[group] = now
	p.result.Steps = slices.DeleteFunc(p.result.Steps, func(s *StepResult) bool {
		inside := strings.HasPrefix(s.path, group+"/")
		if inside {
			delete(p.steps, s.path)
		}
		return inside
	})
	if step := p.steps[group]; step != nil && round > 1 {
		step.Rounds = round
	}
}

// step is the step of an event, which begins when it is first heard of.
func (p *replay) step(e Event) *replayedStep {
	step := p.steps[e.Step]
	if step == nil {
		began := e.Time
		step = &replayedStep{StepResult: &StepResult{Kind: workflows.Kind(e.StepKind), Started: &began, path: e.Step}}
		p.steps[e.Step] = step
		p.result.Steps = append(p.result.Steps, step.StepResult)
	}
	return step
}

// unpricedBy is the model of an answer whose cost is not known.
func unpricedBy(e Event) []string {
	if e.Cost != nil {
		return nil
	}
	return []string{e.Model}
}

// take counts an event of the step or of one of its elements. Where the result
// is there, it is in that.
func (s *replayedStep) take(dir string, e Event) {
	if s.whole {
		return
	}
	switch e.Type {
	case StepStarted:
		s.turns.began(e)
	case steps.TurnFinished:
		s.turns.took(e)
		if e.Cached {
			s.Cached, s.SavedUSD = s.Cached+1, s.SavedUSD+deref(e.Saved)
		}
	case steps.CallFinished:
		s.ToolCalls++
		if e.Truncated {
			s.Truncated++
		}
		if e.Event.Status == tools.Denied {
			s.Denied = append(s.Denied, steps.Denial{Tool: e.Tool, Input: e.Input, Rule: e.Rule})
		}
	case StepFinished:
		s.finish(dir, e)
	}
	if e.Usage != nil {
		s.pay(e)
	}
}

// pay counts what an answer used, one that broke off too.
func (s *replayedStep) pay(e Event) {
	if s.Usage == nil {
		s.Usage, s.CostUSD = &providers.Usage{}, new(float64)
	}
	*s.Usage = s.Usage.Add(*e.Usage)
	*s.CostUSD += deref(e.Cost)
	s.Unpriced = union(s.Unpriced, unpricedBy(e))
}

// finish takes the result as it was written; of an element only that it did not
// end well.
func (s *replayedStep) finish(dir string, e Event) {
	s.turns.ended(e)
	if e.Index != nil {
		if e.Failure != nil {
			failed := &ElementResult{Index: *e.Index, Label: e.Label, StepResult: StepResult{Kind: s.Kind}}
			failed.Status, failed.Error = e.Status, e.Failure
			s.failures = append(s.failures, failed)
		}
		return
	}
	if e.Place == "" && filepath.IsLocal(s.path) {
		if written, err := readStepFile(filepath.Join(dir, resultFile(s.path))); err == nil {
			written.path = s.path
			*s.StepResult, s.whole = *written, true
			return
		}
	}
	ms := e.Elapsed.Milliseconds()
	s.Status, s.StopReason, s.Duration, s.Error = e.Status, e.Reason, &ms, e.Failure
}

// close puts in the result what is known when there are no more events.
func (s *replayedStep) close() {
	if s.whole {
		return
	}
	s.Turns = s.turns.sum()
	if len(s.Unpriced) > 0 {
		s.CostUSD = nil
	}
	if len(s.failures) > 0 {
		s.elements = &elements{shelf: s.failures, count: len(s.failures)}
	}
}

// readStepFile reads the result of one step.
func readStepFile(name string) (*StepResult, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readStep(json.NewDecoder(bufio.NewReaderSize(file, 64<<10)), name)
}

// A memoryShelf has elements in memory.
type memoryShelf []*ElementResult

func (s memoryShelf) element(i int) (*ElementResult, error) { return s[i], nil }

func (s memoryShelf) written(i int) ([]byte, error) { return marshal(s[i].write) }
