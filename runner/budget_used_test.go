package runner

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A used-up budget of a used workflow is, for its caller, a failure of the step that uses it: on_error
// applies, whatever is between the step and the request that did not fit. A used-up budget of the
// caller's own ends the caller.
func TestTheBudgetOfAUsedWorkflowIsContinued(t *testing.T) {
	const used = "name: used\nmodel: fake/one\n"
	for name, test := range map[string]struct{ caller, used, more string }{
		"a step":       {"{id: u, uses: used.yaml, on_error: continue}", "steps: [{prompt: hi}]", ""},
		"a group":      {"{id: u, uses: used.yaml, on_error: continue}", "steps: [{id: g, steps: [{prompt: hi}]}]", ""},
		"a foreach":    {"{id: u, uses: used.yaml, on_error: continue}", "steps: [{id: each, foreach: [1, 2], prompt: hi}]", ""},
		"groups in it": {"{id: u, uses: used.yaml, on_error: continue}", "steps: [{id: each, foreach: [1, 2], steps: [{id: g, steps: [{prompt: hi}]}]}]", ""},
		"foreach in foreach": {"{id: u, uses: used.yaml, on_error: continue}",
			"steps: [{id: each, foreach: [1, 2], steps: [{id: in, foreach: [1], on_error: continue, prompt: hi}]}]", ""},
		"each use has its own": {"{id: u, foreach: [1, 2], on_error: continue, uses: used.yaml, with: {ask: '${{ item == 2 }}'}}",
			"inputs: {ask: {type: boolean}}\nsteps: [{id: each, foreach: [1], steps: [{if: inputs.ask, prompt: hi}]}]", ""},
		"a use between": {"{id: u, uses: used.yaml, on_error: continue}", "steps: [{id: each, foreach: [1], uses: more.yaml}]",
			"name: more\nmodel: fake/one\nsteps: [{id: each, foreach: [1, 2], prompt: hi}]"},
		"time":  {"{id: u, uses: used.yaml, on_error: continue}", "steps: [{id: each, foreach: [1], run: sleep 60}]", ""},
		"retry": {"{id: u, uses: used.yaml, on_error: continue, retry: {max_attempts: 2, backoff: 1ms}}", "steps: [{id: each, foreach: [1], prompt: hi}]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, budget := range []string{"used", "caller"} {
				if name == "time" && budget == "caller" {
					continue
				}
				limits := map[string]string{budget: "budget: {tokens: 1}\n"}
				if name == "time" {
					limits[budget] = "budget: {time: 20ms}\n"
				}
				tr := newTrial(t)
				tr.write("used.yaml", used+limits["used"]+test.used)
				tr.write("more.yaml", test.more)
				r := tr.run("name: t\nmodel: fake/one\n" + limits["caller"] + "steps:\n  - " + test.caller + "\n  - {id: after, run: 'true'}\n")
				after := r.Steps[len(r.Steps)-1].Status
				if want := budget == "used"; (r.Status == steps.Succeeded) != want || (after == steps.Succeeded) != want {
					t.Errorf("with the budget of the %s: %s (%v), %s", budget, r.Status, r.Error, statuses(r))
				}
				if budget == "caller" && r.Error.Kind != steps.KindBudget {
					t.Errorf("got %v", r.Error)
				}
			}
		})
	}
}

// It is continued also by a process that has the failure from the journal only.
func TestTheBudgetOfAUsedWorkflowIsContinuedAfterAKill(t *testing.T) {
	const source = "name: t\nmodel: fake/one\nsteps:\n  - {id: u, uses: used.yaml, on_error: continue}\n  - {id: after, run: 'true'}\n"
	begin := func(change func(*Options)) *trial {
		tr := newTrial(t)
		tr.write("used.yaml", "name: used\nmodel: fake/one\nbudget: {tokens: 1}\nsteps: [{id: each, foreach: [1, 2], max_parallel: 1, steps: [{prompt: hi}]}]\n")
		tr.change = change
		return tr
	}
	first := begin(nil)
	want := statuses(first.run(source))
	for n := 2; n < strings.Count(first.file("run/journal.jsonl"), "\n"); n++ {
		again := begin(func(o *Options) { o.Dir, o.Resume = cutTo(t, filepath.Join(first.dir, "run"), n), &Resumption{} })
		r, err := again.try(source)
		if err != nil {
			t.Fatal(err)
		}
		if got := statuses(r); got != want || r.Status != steps.Succeeded {
			t.Errorf("after record %d: %s, %s (%+v), want %s", n, r.Status, got, r.Error, want)
		}
	}
}

// The budget of a used workflow counts what it has spent before, also after files have changed.
func TestABudgetOfAUsedWorkflowGoesOn(t *testing.T) {
	for name, changes := range map[string]bool{"resumed": false, "changed": true} {
		tr := newTrial(t)
		tr.write("used.yaml", "name: u\nmodel: fake/one\nbudget: {tokens: 5000}\nsteps: [{id: a, prompt: a}, {id: b, prompt: b}, {id: c, run: 'test -e ok'}, {id: d, prompt: d}, {id: e, prompt: e}]\n")
		tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
			m := says("did " + req.Prompt)
			m.Usage.OutputTokens = 2000
			return m, nil
		}
		source := "name: t\nsteps:\n- {id: g, uses: used.yaml}\n"
		tr.run(source)
		tr.write("ok", "")
		tr.change = func(o *Options) { o.Resume = &Resumption{Changed: changes} }
		if changes {
			source += "- {id: z, run: 'true'}\n"
		}
		r := tr.run(source)
		if r.Error == nil || r.Error.Kind != steps.KindBudget || !strings.HasSuffix(strings.Split(statuses(r), " g/e=")[0], "g/d=succeeded") {
			t.Errorf("%s: %s, %v", name, statuses(r), r.Error)
		}
		tr.change = func(o *Options) { o.Resume = &Resumption{} }
		r = tr.run(source)
		if r.Error == nil || r.Error.Kind != steps.KindBudget {
			t.Errorf("%s, again: %s, %v", name, statuses(r), r.Error)
		}
	}
}
