package runner

import (
	"fmt"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// ReadResult reads what a run came to out of the journal in its folder. What each
// element of a foreach came to is not held in memory, but read when
// [StepResult.Elements] asks for it.
//
// The result of a run that was killed, or still runs, has no Finished, and says
// whether it is Running. Steps without a status had not ended, and of their elements
// are there those that had.
func ReadResult(dir string) (*Result, error) {
	from, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	p := &pastRun{dir: dir, from: from, units: newPastUnits(0)}
	for r, err := range from.Records() {
		if err == nil {
			err = p.take(r)
		}
		if err != nil {
			return nil, err
		}
	}
	if p.began.IsZero() {
		_, err := from.First()
		return nil, err
	}
	return p.result()
}

// A pastRun is a run as its journal has it: which records say what its units came
// to in the end.
type pastRun struct {
	dir         string
	from        *journal.Reader
	start       record.Start
	began, last time.Time
	worked      time.Duration  // without the time between processes
	end         *record.Record // nil: the run goes on, or was cut off
	units       *pastUnits
	waits       Waits
}

func (p *pastRun) take(r record.Record) (err error) {
	if r.Kind != record.Run && r.Kind != record.Resumed {
		p.worked += r.Time.Sub(p.last)
	}
	p.last = r.Time
	p.waits.Take(&r)
	switch r.Kind {
	case record.Run:
		p.began = r.Time
		return p.from.Decode(r, &p.start)
	case record.Resumed:
		if p.end = nil; r.Changed {
			p.units = newPastUnits(0)
			p.start, err = startIn(p.from, r)
			return err
		}
		for _, u := range r.From {
			p.units.forget(u)
		}
	case record.End:
		p.end = &r
	default:
		p.units.take(r)
	}
	return nil
}

// result puts the result together.
func (p *pastRun) result() (*Result, error) {
	r := &Result{}
	if p.end != nil {
		type fields Result // without the methods
		if err := p.from.Decode(*p.end, (*fields)(r)); err != nil {
			return nil, err
		}
		r.Findings = tools.ExactNumbers(r.Findings)
	} else {
		p.unended(r)
		if err := decode(p.start.Inputs, &r.Inputs); err != nil {
			return nil, fmt.Errorf("record 1: inputs: %w", err)
		}
	}
	tools.ExactNumbers(r.Inputs)
	var err error
	if r.Steps, err = p.units.results(p.dir, p.from, p.start.Steps); err != nil {
		return nil, err
	}
	if err := p.waiting(r); err != nil {
		return nil, err
	}
	for _, step := range r.Steps {
		if step.Status != steps.Skipped && !strings.Contains(step.path, "/") {
			r.last = step
		}
	}
	if p.end == nil {
		err = p.count(r)
	}
	return r, err
}

// waiting says what the run waits for, and which steps do.
func (p *pastRun) waiting(r *Result) (err error) {
	r.Waiting, err = p.waits.All(p.from, p.start.Steps)
	for _, w := range r.Waiting {
		path := w.Unit.Path()
		for _, step := range r.Steps {
			if step.Status == "" && (step.path == path || strings.HasPrefix(path, step.path+"/")) {
				step.Status = steps.Waiting
			}
		}
	}
	return err
}

// unended is the result of a run that has not ended.
func (p *pastRun) unended(r *Result) {
	*r = Result{
		Version: 1, RunID: p.start.RunID, Status: steps.Failed, Started: p.began, Duration: p.worked.Milliseconds(), Unpriced: []string{},
		Error:   &Failure{Error: steps.Error{Kind: steps.KindInternal, Message: "the run did not end: it was killed, or still runs"}},
		Running: p.from.Busy(),
	}
	r.Workflow = WorkflowRef(p.start.Workflow)
}
