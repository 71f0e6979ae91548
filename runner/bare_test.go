package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestOptionsLeftOut: a workflow runs without what it does not need; what there is not
// is an error that says so.
func TestOptionsLeftOut(t *testing.T) {
	for _, tt := range []struct {
		name, step string
		text       string
		kind       steps.Kind // of the run's error, or of the one that nothing runs for
		says       string
	}{
		{"a command", `run: /bin/echo hi`, "hi", "", ""},
		{"the variables of a command", `env: {B: two, A: one}, run: "echo $A $B $HOME"`, "one two", "", ""},
		{"variables of expressions", `run: "echo ${{ env.HOME ?? 'none' }}"`, "none", "", ""},
		{"variables by a pattern", `run: "echo ${{ len(env) }}"`, "1", "", ""},
		{"a model", `prompt: hi, model: openai/m`, "", steps.KindConfiguration, "model openai/m: there are no models here"},
		{"a tool", `tool: look`, "", steps.KindConfiguration, `the step lists the tool "look", but no tools are available`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, found := workflows.Parse("flow.yaml", []byte("name: t\nenv: [HOME, 'GITHUB_*']\nsteps:\n  - {id: a, "+tt.step+"}\n"), workflows.Options{})
			if found.HasErrors() {
				t.Fatal(found)
			}
			r, err := Run(t.Context(), Options{Workflow: w, Dir: filepath.Join(t.TempDir(), "run"), Workspace: t.TempDir()})
			failed := asErrorOf(r, err)
			switch {
			case failed == nil && (tt.kind != "" || r.Steps[0].Text != tt.text):
				t.Errorf("%q, want %q %s", r.Steps[0].Text, tt.text, tt.kind)
			case failed != nil && (failed.Kind != tt.kind || !strings.Contains(failed.Message, tt.says)):
				t.Errorf("%s: %s, want %q %s: %s", failed.Kind, failed.Message, tt.text, tt.kind, tt.says)
			}
		})
	}
}

// TestNilOptions: what a function of the options does not give, and options that say nothing, are
// errors before a step does without it unnoticed.
func TestNilOptions(t *testing.T) {
	const offers, asks = "name: t\nsteps: [{prompt: hi, model: mine/m, tools: [read]}]\n", "name: t\nsteps: [{prompt: hi, model: mine/m}]\n"
	for _, tt := range []struct {
		name, source string
		change       func(*Options)
		says         string
	}{
		{"no options", "", func(o *Options) { *o = Options{} }, "there is no workflow to run"},
		{"an id that is a path", "name: x\nsteps: [{run: x}]\n", func(o *Options) { o.ID = "a/b" }, `invalid run id "a/b": use up to 128 letters, digits, _, - and ., and start with none of . and -`},
		{"no folder", asks, func(o *Options) { o.Dir = "" }, "the run has no folder"},
		{"no function for tools", offers, func(o *Options) { o.Tools = nil }, `the step lists the tool "read", but no tools are available`},
		{"a toolbox without tools", offers, func(o *Options) {
			o.Tools = func(context.Context, ToolScope) (Toolbox, error) { return Toolbox{}, nil }
		}, `the step lists the tool "read", but no tools are available`},
		{"a model that is nil", asks, func(o *Options) {
			o.Models = func(string, *workflows.Workflow) (providers.Model, error) { return nil, nil }
		}, "model mine/m does not exist"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.change = tt.change
			if tt.source == "" {
				tt.source = asks
			}
			r, err := tr.try(tt.source)
			if failed := asErrorOf(r, err); failed == nil || failed.Message != tt.says {
				t.Errorf("%v, want %q", failed, tt.says)
			}
		})
	}
}

// TestRelativeFolder: what tools are told of the run's folder does not depend on the current one.
func TestRelativeFolder(t *testing.T) {
	tr := newTrial(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var scope ToolScope
	tr.change = func(o *Options) {
		if o.Dir, err = filepath.Rel(here, o.Dir); err != nil {
			t.Fatal(err)
		}
		given := o.Tools
		o.Tools = func(ctx context.Context, s ToolScope) (Toolbox, error) {
			scope = s
			return given(ctx, s)
		}
	}
	tr.run("name: t\nsteps: [{tool: look}]\n")
	if !filepath.IsAbs(scope.Run) || !filepath.IsAbs(scope.Outputs) {
		t.Errorf("the run is in %s, its outputs in %s", scope.Run, scope.Outputs)
	}
}

// TestRunTwice: what is linked runs once.
func TestRunTwice(t *testing.T) {
	w, found := workflows.Parse("flow.yaml", []byte("name: t\nsteps: [{run: echo hi}]\n"), workflows.Options{})
	if found.HasErrors() {
		t.Fatal(found)
	}
	linked, err := Link(Options{Workflow: w, Dir: filepath.Join(t.TempDir(), "run"), Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := linked.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := linked.Run(t.Context()); err == nil || err.Error() != "the workflow was run already" {
		t.Errorf("the second time: %v", err)
	}
}

// asErrorOf is why a run did not succeed, or why nothing ran; nil where it did.
func asErrorOf(r *Result, err error) *steps.Error {
	switch {
	case err != nil:
		return asError(err)
	case r.Error != nil:
		return &r.Error.Error
	}
	return nil
}

// TestTheTimeOfTheCallerIsUp: a deadline of the caller's ends a run as a limit does.
func TestTheTimeOfTheCallerIsUp(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	tr := newTrial(t)
	tr.ctx = ctx
	tr.change = func(o *Options) {
		o.Observe = func(e Event) {
			if e.Type == StepStarted {
				cancel(context.DeadlineExceeded)
			}
		}
	}
	r := tr.run("name: t\nsteps: [{id: a, run: sleep 60}]\n")
	if r.Status != steps.Stopped || r.Error.Kind != steps.KindTimeout || r.Error.Message != "the time of the run is up" || r.Steps[0].Status != steps.Stopped {
		t.Errorf("%s: %+v", r.Status, r.Error)
	}
}

// TestFindings: what a workflow names as its findings is a list; nothing is an empty one.
func TestFindings(t *testing.T) {
	for _, tt := range []struct {
		findings string
		count    int // of those found; -1 for none
		says     string
	}{
		{`${{ [{"file": "a.go", "line": 3, "message": steps.a.text}] }}`, 1, ""},
		{`${{ steps.list.output }}`, 2, ""},
		{`${{ steps.none.output }}`, 0, ""},
		{`${{ steps.map.output }}`, -1, "findings: expected a list of objects"},
		{`${{ steps.list.output[7].x }}`, -1, "findings: "},
	} {
		r := newTrial(t).run(`
name: t
findings: '` + tt.findings + `'
steps:
  - {id: a, run: echo hi}
  - {id: list, run: 'echo "[{\"file\": \"a\", \"message\": \"m\"}, {\"file\": \"b\", \"message\": \"m\"}]"', output: json}
  - {id: none, run: echo null, output: json}
  - {id: map, run: 'echo "{}"', output: json}
`)
		list, isList := r.Findings.([]any)
		count := -1
		if isList {
			count = len(list)
		}
		if tt.says == "" && (r.Error != nil || count != tt.count) {
			t.Errorf("%s: %v, %v", tt.findings, r.Findings, r.Error)
		}
		if tt.says != "" && (r.Error == nil || r.Error.Kind != steps.KindInvalidOutput || !strings.Contains(r.Error.Message, tt.says)) {
			t.Errorf("%s: %v, want %q", tt.findings, r.Error, tt.says)
		}
	}
}
