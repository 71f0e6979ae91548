package runner

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// link links a workflow in a folder that has used.yaml.
func link(t *testing.T, source string, o Options) (*Linked, error) {
	t.Helper()
	dir := t.TempDir()
	w, diagnostics := workflows.Load("flow.yaml", workflows.Options{ReadFile: func(path string) ([]byte, error) {
		if path == "flow.yaml" {
			return []byte(source), nil
		}
		return []byte("name: used\nsteps:\n  - prompt: Hi.\n"), nil
	}})
	if diagnostics.HasErrors() {
		t.Fatalf("the workflow of the test is wrong: %v", diagnostics)
	}
	inputs, err := w.CheckInputs(nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.Workspace == "" {
		o.Workspace = dir
	}
	o.Workflow, o.Inputs, o.Dir = w, inputs, filepath.Join(dir, "run")
	o.Models = func(ref string, _ *workflows.Workflow) (providers.Model, error) {
		if strings.Contains(ref, "gone") {
			return nil, errors.New("does not exist")
		}
		return fakeModel{ref: ref}, nil
	}
	linked, err := Link(o)
	if _, made := os.Stat(o.Dir); made == nil {
		t.Error("a folder was made for the run")
	}
	return linked, err
}

// modelsOf are those of the first step, or of the first step of what it uses.
func modelsOf(l *Linked) ([]string, error) {
	step := l.Workflow.Steps[0]
	if step.Use != nil {
		return modelsOf(l.Uses(step.Use.Workflow))
	}
	named, err := l.Names(step.Agent)
	return named.Refs, cmp.Or(err, l.CheckModels())
}

func TestLinkedModels(t *testing.T) {
	const prompt = "\nsteps:\n  - prompt: Hi.\n"
	tests := []struct{ name, source, flag, want, err string }{
		{"a name", "model: openai/a" + prompt, "", "openai/a", ""},
		{"a short name", "models: {fast: [openai/a, openai/b]}\nmodel: fast" + prompt, "", "openai/a openai/b", ""},
		{"a list", "models: {fast: [openai/a, openai/b]}\nmodel: [fast, openai/c]" + prompt, "", "openai/a openai/b openai/c", ""},
		{"an input", "inputs: {m: {type: string, default: openai/i}}\nmodel: ${{ inputs.m }}" + prompt, "", "openai/i", ""},
		{"a list of an expression", "model: \"${{ ['openai/a', 'openai/b'] }}\"" + prompt, "", "openai/a openai/b", ""},
		{"the command line's", "model: openai/a" + prompt, "openai/flag", "openai/flag", ""},
		{"none", prompt, "", "", "no model is given"},
		{"one that there is not", "model: openai/gone" + prompt, "", "", "does not exist"},
		{"a price that is not known", "budget: {cost_usd: 1}\nmodel: openai/a" + prompt, "", "", "the price of openai/a is unknown"},
		{"the caller's", "model: openai/a\nsteps:\n  - uses: used.yaml\n", "", "openai/a", ""},
		{"the command line's, for what is used", "steps:\n  - uses: used.yaml\n", "openai/flag", "openai/flag", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			linked, err := link(t, "name: t\n"+test.source, Options{Model: test.flag})
			if err != nil {
				t.Fatal(err)
			}
			refs, err := modelsOf(linked)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %v, want %q", err, test.err)
				}
				return
			}
			if got := strings.Join(refs, " "); err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestLinkedModelsThatAreNotKnown(t *testing.T) {
	const source = "name: t\nsteps:\n  - {id: pick, run: echo openai/a}\n  - {prompt: Hi., model: \"${{ steps.pick.text }}\"}\n"
	linked, err := link(t, source, Options{})
	if err != nil {
		t.Fatal(err)
	}
	named, err := linked.Names(linked.Workflow.Steps[1].Agent)
	if err = cmp.Or(err, linked.CheckModels()); named.Refs != nil || err != nil {
		t.Errorf("got %q, %v", named.Refs, err)
	}
}

func TestLinkedWorkspace(t *testing.T) {
	dir := t.TempDir()
	linked, err := link(t, "name: t\nsteps:\n  - run: \"true\"\n", Options{Workspace: dir})
	if err != nil || linked.Workspace() != dir {
		t.Errorf("got %q, %v", linked.Workspace(), err)
	}
	var told *steps.Error
	_, err = link(t, "name: t\nsteps:\n  - run: \"true\"\n", Options{Workspace: filepath.Join(dir, "gone")})
	if !errors.As(err, &told) || told.Kind != steps.KindInvalidInput {
		t.Errorf("a folder that is missing: %v", err)
	}
}
