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
	"github.com/a-seed-11b9befa/flow/workflows"
)

func (r *run) journalOptions() (o journal.Options) {
	o.Sync = r.passSync
	if r.Mask != nil {
		o.Secrets = journal.Secrets{Mask: r.Mask.JSONWith, Values: r.Secrets, Salt: r.ID}
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

// start returns what a later process needs in order to resume the run.
func (r *run) start(top *instance) (s journal.Start, err error) {
	s.RunID, s.Workflow = r.ID, top.ref()
	s.Files, s.Workspace, s.Environment = r.Files, filepath.ToSlash(r.Workspace), []string{}
	s.Commit = r.commit(top)
	s.Steps, s.Sums = stepsOf(top.Steps, "", nil), top.Sums
	for _, name := range workflows.ExpandVariables(top.NamedVariables(), r.EnvNames) {
		if _, set := r.LookupEnv(name); set {
			s.Environment = append(s.Environment, name)
		}
	}
	slices.Sort(s.Environment)
	if b := r.budget(top.Workflow); b.Tokens > 0 || b.CostUSD > 0 {
		s.Budget = &journal.Amount{Tokens: b.Tokens, CostUSD: b.CostUSD}
	}
	if s.Inputs, err = jsonline.Encode(top.inputs); err != nil {
		return s, err
	}
	s.Options, err = jsonline.Encode(r.recorded())
	return s, err
}

// beginRun writes the first record of a new run.
func (e *exec) beginRun() error {
	e.run.since = time.Now()
	e.run.began = e.run.since
	start, err := e.run.start(e.top)
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
	err := e.journal.Append(r)
	if err == nil {
		e.takeIn(r)
	}
	return err
}

// joinTrace sets what commands get as TRACEPARENT.
func (e *exec) joinTrace(process int) {
	if e.run.trace = trace.Around(e.TraceParent); e.Traced {
		e.run.trace = trace.New(e.ID, process, e.TraceParent)
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
func (r *run) commit(top *instance) string {
	if r.Commit == nil {
		return ""
	}
	return r.Commit(top.at.workspace)
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

// Recorded has the options of a run that a resume keeps unless it gives others.
type Recorded struct {
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

func (r *run) recorded() Recorded {
	return Recorded{Model: r.Model, MaxParallel: r.MaxParallel, BudgetUSD: r.BudgetUSD, Later: r.Later, Recipe: r.Recipe, Elsewhere: r.Elsewhere, NoCache: r.Cache.Off, Sandbox: r.Sandbox, InputsForeign: r.InputsForeign}
}

func kindOf(err *steps.Error) string {
	if err == nil {
		return ""
	}
	return string(err.Kind)
}
