package runner

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A list that is given can be longer than one that an expression makes: nothing of a
// foreach over it begins.
func TestMostElements(t *testing.T) {
	tr := newTrial(t)
	tr.inputs = map[string]any{"all": make([]any, journal.MaxElements+1)}
	r := tr.run(`
name: t
inputs: {all: {type: array}}
steps:
  - {id: each, foreach: "${{ inputs.all }}", when: "false", run: "true"}
`)
	if r.Status != steps.Failed || !strings.Contains(r.Error.Message, "1000001 elements; the limit is 1,000,000") {
		t.Errorf("%s: %+v", r.Status, r.Error)
	}
}

// Elements keep their indexes in the list, whichever are left out.
func TestElementsThatAreLeftOut(t *testing.T) {
	r := newTrial(t).run(`
name: t
steps:
  - id: each
    foreach: ${{ ["a", "b", "c", "d", "e", "f"] }}
    when: item in ["b", "c", "f"]
    run: printf '%s' ${{ item }}${{ index }}
outputs:
  places: ${{ join(map(steps.each.results, string(.index) + .item + "=" + .text), " ") }}
`)
	if got, want := r.Text(), "1b=b1 2c=c2 5f=f5"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A run that is cancelled between the rounds of a group has not succeeded, though each
// of its steps has.
func TestCancelledBetweenRounds(t *testing.T) {
	tr := newTrial(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tr.ctx = ctx
	tr.change = func(o *Options) {
		o.Observe = func(e Event) {
			if e.Type == StepFinished && e.Unit.Path() == "loop/a" {
				cancel()
			}
		}
	}
	r := tr.run(`
name: t
steps:
  - id: loop
    max_rounds: 5
    until: "false"
    steps: [{id: a, run: "true"}]
`)
	if r.Status != steps.Cancelled || r.Steps[0].Status != steps.Cancelled {
		t.Errorf("the run %s, the group %s", r.Status, r.Steps[0].Status)
	}
}

// What a command was to do is rendered anew where a secret was hidden in the record.
func TestASecretInWhatWasInFlight(t *testing.T) {
	const source = "name: t\ninputs: {token: {type: string}}\nsteps:\n  - {id: a, run: \"printf %s ${{ inputs.token }} > seen\"}\n"
	masked := func(o *Options) { o.Mask = tools.NewMask([]string{"tok-5f2e9c"}) }
	first := newTrial(t)
	first.inputs, first.change = map[string]any{"token": "tok-5f2e9c"}, masked
	first.run(source)
	inFlight := cutTo(t, filepath.Join(first.dir, "run"), 2)
	tr := newTrial(t)
	tr.inputs = first.inputs
	tr.change = func(o *Options) {
		masked(o)
		o.Dir, o.Resume = inFlight, &Resumption{}
	}
	if r := tr.run(source); r.Status != steps.Succeeded || tr.file("seen") != "tok-5f2e9c" {
		t.Errorf("%s: the command has seen %q", r.Status, tr.file("seen"))
	}
}

// A run that had ended and is gone on with has not ended.
func TestHowARunBegan(t *testing.T) {
	const begun = `{"kind":"run","version":1,"data":{"run_id":"r","workflow":{"file":"flow.yaml"},"steps":[],"inputs":{"n":1},"options":{"model":"m/x"}}}` + "\n"
	const ended = `{"kind":"end","status":"failed"}` + "\n"
	for _, test := range []struct {
		records string
		want    steps.Status
	}{
		{begun, ""}, {begun + ended, steps.Failed},
		{begun + ended + `{"kind":"resumed","data":{"options":{"model":"m/x"}}}` + "\n", ""},
		{begun + ended + `{"kind":"resumed","data":{"options":{"model":"m/x"}}}` + "\n" + `{"kind":"end","status":"succeeded"}` + "\n", steps.Succeeded},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		journaltest.Write(t, dir, test.records)
		b, err := ReadBeginning(dir)
		if err != nil {
			t.Fatal(err)
		}
		if b.Status != test.want || b.RunID != "r" || b.Workflow.File != "flow.yaml" || b.Options.Model != "m/x" {
			t.Errorf("%s: %+v", test.records, b)
		}
	}
}
