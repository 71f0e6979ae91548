package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/cache"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestAnswersThatCantBeKept: a folder of answers that can't be used keeps nothing from
// running, which is told once, unless only those that are kept may be given.
func TestAnswersThatCantBeKept(t *testing.T) {
	const cached, uncached = "cache: true, foreach: [1, 2, 3], prompt: hi", "prompt: hi"
	full := func() (*cache.Store, error) { return nil, errors.New("no room") }
	folder := t.TempDir()
	empty := func() (*cache.Store, error) { return cache.Open(folder, cache.Options{Only: true}) }
	for _, tt := range []struct {
		name, step string
		open       func() (*cache.Store, error)
		only       bool
		warned     int
		kind       steps.Kind
		says       string
	}{
		{"no room", cached, full, false, 1, "", ""},
		{"no room, and nobody may be asked", cached, full, true, 0, steps.KindConfiguration, "cached answers: no room"},
		{"not kept, and nobody may be asked", cached, empty, true, 0, steps.KindConfiguration, ""},
		{"a step that keeps none", uncached, full, false, 0, "", ""},
		{"and nobody may be asked", uncached, empty, true, 0, steps.KindConfiguration, ": no cached answer for this step, and a cache-only run sends no requests"},
		{"nowhere to keep them", cached, nil, false, 0, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			asked := 0
			answer := func(context.Context, providers.Request) (providers.Message, error) {
				tr.mu.Lock()
				defer tr.mu.Unlock()
				asked++
				return says("there"), nil
			}
			tr.change = func(o *Options) {
				o.Models = func(ref string, _ *workflows.Workflow) (providers.Model, error) {
					return keptModel{fakeModel{ref, answer}}, nil
				}
				o.Cache = Cache{Open: tt.open, Only: tt.only}
			}
			r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - {id: a, " + tt.step + "}\n")
			failed := asErrorOf(r, nil)
			if tt.kind == "" && (failed != nil || asked == 0) || tt.kind != "" && (failed == nil || failed.Kind != tt.kind || !strings.Contains(failed.Message, tt.says) || asked > 0) {
				t.Errorf("asked %d times: %v, want %s %s", asked, failed, tt.kind, tt.says)
			}
			if got := len(warningsOf(tr)); got != tt.warned {
				t.Errorf("warned of %q, want %d", warningsOf(tr), tt.warned)
			}
		})
	}
}

// warningsOf are the warnings that were told.
func warningsOf(tr *trial) (all []string) {
	for _, e := range tr.events {
		if e.Type == steps.Warning {
			all = append(all, strings.Trim(e.Message+": "+e.Event.Error, ": "))
		}
	}
	return all
}

// TestLabels: an element is called as its label says; one that can't be evaluated is a
// warning, and the element does its work.
func TestLabels(t *testing.T) {
	for _, tt := range []struct {
		label  string
		called []string
		warned bool
	}{
		{"'the ${{ item.name }}'", []string{"the a", "the b"}, false},
		{"'${{ item.tags[1] }}'", []string{"x", "B"}, true},
		{"", []string{"A", "B"}, false}, // the first text of the map, by its keys
	} {
		tr := newTrial(t)
		label := ""
		if tt.label != "" {
			label = "label: " + tt.label + ", "
		}
		r := tr.run(`
name: t
steps:
  - {id: list, run: 'echo "[{\"name\": \"a\", \"file\": \"A\", \"tags\": [0, \"x\"]}, {\"name\": \"b\", \"file\": \"B\", \"empty\": \"\", \"tags\": []}]"', output: json}
  - {id: each, foreach: "${{ steps.list.output }}", max_parallel: 1, ` + label + `run: "echo ${{ item.name }}"}
`)
		var called []string
		for _, e := range tr.events {
			if e.Type == StepStarted && e.Index != nil {
				called = append(called, e.Label)
			}
		}
		if diff := cmp.Diff(tt.called, called); diff != "" || r.Status != steps.Succeeded {
			t.Errorf("%s: %s (-want +got):\n%s", tt.label, r.Status, diff)
		}
		if got := warningsOf(tr); (len(got) == 1) != tt.warned || tt.warned && !strings.HasPrefix(got[0], "label: ") {
			t.Errorf("%s: warned of %q", tt.label, got)
		}
	}
}

// TestCommits: who goes on with a run where the workspace is at another commit is told.
func TestCommits(t *testing.T) {
	const was, is = "0123456789abcdef0123", "fedcba9876543210fedc"
	for _, tt := range []struct{ before, now, warns string }{
		{was, was, ""},
		{was, is, "at commit fedcba987654, and was at 0123456789ab"},
		{was, "", "at commit none, and was at 0123456789ab"},
		{"", is, ""},
	} {
		tr := newTrial(t)
		at := tt.before
		tr.change = func(o *Options) {
			o.Commit = func(folder string) string {
				if folder != tr.dir {
					t.Errorf("the commit of %s", folder)
				}
				return at
			}
		}
		const source = "name: t\nsteps: [{id: a, run: 'test -e ok'}]\n"
		tr.run(source)
		if got := warningsOf(tr); got != nil {
			t.Errorf("a new run warns of %q", got)
		}
		tr.write("ok", "")
		first := tr.change
		tr.change = func(o *Options) { first(o); o.Resume = &Resumption{} }
		tr.events, at = nil, tt.now
		if r := tr.run(source); r.Status != steps.Succeeded {
			t.Fatalf("%s: %v", r.Status, r.Error)
		}
		if got := strings.Join(warningsOf(tr), "; "); (got == "") != (tt.warns == "") || !strings.Contains(got, tt.warns) {
			t.Errorf("from %q to %q: %q, want %q", tt.before, tt.now, got, tt.warns)
		}
	}
}

// TestModelsByExpressions: what names a model is text, or a list of it; short names are
// those of the workflow that names it.
func TestModelsByExpressions(t *testing.T) {
	for _, tt := range []struct {
		model string
		want  string // who is asked, or what is wrong
	}{
		{"'${{ inputs.model }}'", "openai/a"},
		{"'${{ [\"quick\", \"openai/c\"] }}'", "openai/b"},
		{"'${{ [[\"openai/down\"], \"openai/c\"] }}'", "openai/c"},
		{"'${{ 3 }}'", "model: a reference is text such as openai/gpt-5-mini, not 3"},
		{"'${{ [\"openai/a\", 3] }}'", "model: a reference is text"},
		{"'${{ steps.first.output }}'", "openai/d"},
		{"'${{ steps.none.output }}'", "no model is given"},
	} {
		tr := newTrial(t)
		var asked []string
		tr.change = func(o *Options) {
			o.Models = modelsBy(func(ref string, _ providers.Request) (providers.Message, error) {
				if ref == "openai/down" {
					return providers.Message{}, &providers.Error{Kind: providers.KindOverloaded}
				}
				asked = append(asked, ref)
				return says("there"), nil
			})
		}
		r, err := tr.try(`
name: t
inputs: {model: {type: string, default: openai/a}}
models: {quick: openai/b}
steps:
  - {id: first, run: printf openai/d}
  - {id: none, run: echo null, output: json}
  - {id: ask, prompt: hi, model: ` + tt.model + "}\n")
		got := strings.Join(asked, " ")
		if failed := asErrorOf(r, err); failed != nil {
			got = fmt.Sprint(failed)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.model, got, tt.want)
		}
	}
}
