package runner

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// append writes a fact to the journal, before anything that hangs on it begins. data
// is its data, nil for none. A run that can't ends.
func (r *run) append(fact record.Record, data any) {
	if data != nil {
		line, err := jsonline.Encode(data)
		if err != nil {
			r.lost("journal", err)
			return
		}
		fact.Data = record.Inline(line)
	}
	if err := r.journal.Append(&fact); err != nil {
		r.lost("journal", err)
	}
}

// openJournal begins the journal of a new run.
func (r *run) openJournal(top *instance) (err error) {
	if r.journal, err = journal.Create(r.Dir, journal.Options{Mask: r.maskJSON()}); err != nil {
		return fmt.Errorf("run folder %s: %w", r.Dir, err)
	}
	start, err := r.start(top)
	if err != nil {
		return err
	}
	return r.journal.Append(&record.Record{Kind: record.Run, Version: record.Version, Parallel: r.MaxParallel, Data: start})
}

func (r *run) maskJSON() func([]byte) []byte {
	if r.Mask == nil {
		return nil
	}
	return r.Mask.JSON
}

// start is what a later process needs to go on with the run.
func (r *run) start(top *instance) (none record.Value, err error) {
	var s record.Start
	ref := top.ref()
	s.RunID, s.Workflow.Name, s.Workflow.File, s.Workflow.SHA256 = r.ID, ref.Name, ref.File, ref.SHA256
	s.Files, s.Workspace, s.Environment = r.Files, filepath.ToSlash(r.Workspace), []string{}
	s.Steps = stepsOf(top.Steps, "", nil)
	for name, value := range top.at.env {
		if _, given := top.at.given[name]; value != nil && !given {
			s.Environment = append(s.Environment, name)
		}
	}
	slices.Sort(s.Environment)
	if s.Inputs, err = jsonline.Encode(top.inputs); err != nil {
		return none, err
	}
	if s.Options, err = jsonline.Encode(r.recorded()); err != nil {
		return none, err
	}
	line, err := jsonline.Encode(s)
	return record.Inline(line), err
}

// stepsOf lists steps with those inside of them.
func stepsOf(list []*workflows.Step, around string, all []record.Step) []record.Step {
	for _, step := range list {
		at := path.Join(around, step.Name)
		one := record.Step{Path: at, Kind: string(step.Kind)}
		if step.Agent != nil {
			one.Agent = step.Agent.Takes
		}
		all = append(all, one)
		switch {
		case step.Group != nil:
			all = stepsOf(step.Group.Steps, at, all)
		case step.Use != nil:
			all = stepsOf(step.Use.Workflow.Steps, at, all)
		}
	}
	return all
}

// Recorded are the options that a run is gone on with where nothing else is said.
type Recorded struct {
	Model       string   `json:"model,omitempty"`
	MaxParallel int      `json:"max_parallel"`
	BudgetUSD   *float64 `json:"budget_usd,omitempty"`
}

func (r *run) recorded() Recorded {
	return Recorded{Model: r.Model, MaxParallel: r.MaxParallel, BudgetUSD: r.BudgetUSD}
}

// end writes that the run has ended.
func (r *run) end(result *Result) {
	type fields Result // without the methods
	r.append(record.Record{Kind: record.End, Status: record.Status(result.Status), Reason: kindOf(result.failure())}, (*fields)(result))
}

func kindOf(err *steps.Error) string {
	if err == nil {
		return ""
	}
	return string(err.Kind)
}

// decided writes what a decision about the unit came to.
func (t *site) decided(fact record.Record, data any) {
	fact.Kind, fact.Unit = record.Decided, t.unit
	t.run.append(fact, data)
}

// began writes that an attempt is about to work.
func (t *site) began(w *Work) {
	var data any
	if w != nil {
		data = w
	}
	t.run.append(record.Record{Kind: record.Began, Unit: t.unit, Label: t.label}, data)
}

// again writes that an attempt has failed, and when the next one may begin.
func (t *site) again(n int, last *StepResult, wait time.Duration) {
	line := last.line()
	t.run.append(record.Record{
		Kind: record.Again, Unit: t.unit.WithAttempt(n), Status: record.Status(last.Status), Reason: kindOf(last.Error), Until: time.Now().UTC().Add(wait),
	}, line)
}

// ended writes what the step, or the element, came to. What is inside of it has
// records of its own.
func (t *site) ended(r *StepResult) {
	t.run.append(record.Record{
		Kind: record.Ended, Unit: t.unit.WithAttempt(0), Status: record.Status(r.Status), Reason: kindOf(r.Error), Forgiven: r.forgive, Fatal: r.fatal,
	}, r.journaled())
}

// A journaledResult is a result as the journal has it: as it is written elsewhere,
// and with what later steps see of a long text.
type journaledResult struct {
	stepLine
	Never     *stepLine `json:"never,omitempty"`       // of a foreach: what the elements came to that did not begin
	Whole     string    `json:"whole,omitempty"`       // the file in outputs/ that begins with it
	WholeSize int64     `json:"whole_bytes,omitempty"` // how much of that
	WholeText string    `json:"whole_text,omitempty"`  // itself, where no file has it
}

func (r *StepResult) journaled() journaledResult {
	j := journaledResult{stepLine: r.line()}
	j.Label = r.label
	if r.elements != nil {
		if shelf, ok := r.elements.shelf.(*folderShelf); ok && shelf.never != nil {
			never := (&StepResult{Kind: r.Kind, Result: *shelf.never}).line()
			j.Never = &never
		}
	}
	if w := r.whole; w != nil {
		j.Whole, j.WholeSize, j.WholeText = w.name, w.size, w.text
	}
	return j
}

// wholeOf is what later steps see of a long text.
func (r *run) wholeOf(data []byte) (*wholeText, error) {
	var j struct {
		Whole     string `json:"whole"`
		WholeSize int64  `json:"whole_bytes"`
		WholeText string `json:"whole_text"`
	}
	if err := json.Unmarshal(data, &j); err != nil || j.WholeSize <= 0 {
		return nil, err
	}
	if j.Whole != "" && filepath.Base(j.Whole) != j.Whole {
		return nil, fmt.Errorf("%q is no file of outputs/", j.Whole)
	}
	return &wholeText{folder: r.folder, name: j.Whole, size: j.WholeSize, text: j.WholeText}, nil
}

// remember writes a fact of the step's conversation.
func (t *site) remember(f steps.Fact) {
	fact := record.Record{Unit: t.unit}
	switch {
	case f.Said != nil:
		spent := t.in.budget.worthOf(f.Said.Used)
		fact.Kind, fact.Spent = record.Said, record.Amount{Tokens: spent.tokens, CostUSD: spent.costUSD}
		for _, used := range f.Said.Used {
			if _, known := t.in.price(used.Model, used.Usage); !known {
				fact.Unpriced = union(fact.Unpriced, []string{used.Model})
			}
		}
		t.run.append(fact, f.Said)
	case f.Call != nil:
		fact.Kind, fact.Call = record.Called, f.Call.ID
		t.run.append(fact, f.Call)
	case f.Answer != nil:
		fact.Kind, fact.Call, fact.Status = record.Answer, f.Answer.ID, record.Status(f.Answer.Status)
		t.run.append(fact, f.Answer)
	default:
		fact.Kind, fact.About = record.Decided, record.Inner
		t.run.append(fact, f)
	}
}
