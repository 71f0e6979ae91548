package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/trace"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (e *exec) journalOptions() (o journal.Options) {
	o.Sync = e.passSync
	if e.Mask != nil {
		o.Secrets = journal.Secrets{Mask: e.Mask.JSONWith, Values: e.Secrets, Salt: e.ID}
	}
	return o
}

// sumOf returns the digest of a step in its file. For a step that uses a workflow it covers
// that workflow, except its steps.
func sumOf(step *workflows.Step) string {
	if step.Use == nil {
		return step.Sum
	}
	all := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(step.Use.Workflow.Sums)) {
		fmt.Fprintln(all, key, step.Use.Workflow.Sums[key]) // never returns an error
	}
	return step.Sum + "+" + hex.EncodeToString(all.Sum(nil)[:8])
}

// description returns what a later process needs in order to resume the run.
func (e *exec) description() (s journal.Start, err error) {
	top := e.top
	s.RunID, s.Workflow = e.ID, top.ref()
	s.Files, s.Workspace, s.Environment = e.Files, filepath.ToSlash(e.Workspace), []string{}
	s.Commit = e.commit()
	s.Steps, s.Sums = stepsOf(top.Steps, "", nil), top.Sums
	for _, name := range workflows.ExpandVariables(top.NamedVariables(), e.EnvNames) {
		if _, set := e.LookupEnv(name); set {
			s.Environment = append(s.Environment, name)
		}
	}
	slices.Sort(s.Environment)
	if b := top.mayUse(); b.Tokens > 0 || b.CostUSD > 0 {
		s.Budget = &tools.Amount{Tokens: b.Tokens, CostUSD: b.CostUSD}
	}
	if s.Inputs, err = jsonline.Encode(top.inputs); err != nil {
		return s, err
	}
	s.Options, err = jsonline.Encode(e.recordedOptions())
	return s, err
}

// beginRun writes the first record of a new run.
func (e *exec) beginRun() error {
	e.since = time.Now()
	e.began = e.since
	start, err := e.description()
	if err != nil {
		return err
	}
	data, err := jsonline.Encode(start)
	if err != nil {
		return err
	}
	e.joinTrace(1)
	return e.record(&journal.Record{Kind: journal.Run, Version: journal.Version, Parallel: e.MaxParallel, Trace: e.recordedTrace(), Data: data})
}

// record writes a record before anything begins.
func (e *exec) record(r *journal.Record) error {
	p := &entry{record: *r}
	e.prepare(p)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.enter(p)
	return p.failed
}

// joinTrace sets what commands get as TRACEPARENT.
func (e *exec) joinTrace(process int) {
	if e.trace = trace.Around(e.TraceParent); e.Traced {
		e.trace = trace.New(e.ID, process, e.TraceParent)
	}
}

// recordedTrace returns the trace context around the process; "" if there is none.
func (e *exec) recordedTrace() string {
	if trace.Valid(e.TraceParent) {
		return e.TraceParent
	}
	return ""
}

// commit returns the commit of the workspace; "" if there is none.
func (e *exec) commit() string {
	if e.Commit == nil {
		return ""
	}
	return e.Commit(e.top.at.workspace)
}

// stepsOf appends steps, each followed by those inside it.
func stepsOf(list []*workflows.Step, around string, all []journal.Step) []journal.Step {
	for _, step := range list {
		at := path.Join(around, step.Name)
		one := journal.Step{Path: at, Kind: string(step.Kind), Sum: sumOf(step)}
		if step.Agent != nil {
			one.Agent = step.Agent.Takes
		}
		for _, k := range step.Needs {
			one.Needs = append(one.Needs, list[k].Name)
		}
		all = stepsOf(step.Inside(), at, append(all, one))
	}
	return all
}

// RecordedOptions has the options of a run that a resume keeps unless it gives others.
type RecordedOptions struct {
	Model       string   `json:"model,omitempty"`
	MaxParallel int      `json:"max_parallel"`
	BudgetUSD   *float64 `json:"budget_usd,omitempty"`
	Later       bool     `json:"later,omitempty"`     // calls whose rule is ask wait for a person
	Recipe      string   `json:"recipe,omitempty"`    // the reference that names the workflow
	Elsewhere   bool     `json:"elsewhere,omitempty"` // the workflow is not its caller's own
	NoCache     bool     `json:"no_cache,omitempty"`  // no answers are cached
	Sandbox     string   `json:"sandbox,omitempty"`   // the least that commands are held to

	InputsForeign bool `json:"inputs_foreign,omitempty"` // the inputs may come from a model
}

func (e *exec) recordedOptions() RecordedOptions {
	return RecordedOptions{Model: e.Model, MaxParallel: e.MaxParallel, BudgetUSD: e.BudgetUSD, Later: e.Later, Recipe: e.Recipe, Elsewhere: e.Elsewhere, NoCache: e.Cache.Off, Sandbox: e.Sandbox, InputsForeign: e.InputsForeign}
}

func kindOf(err *steps.Error) steps.Kind {
	if err == nil {
		return ""
	}
	return err.Kind
}
