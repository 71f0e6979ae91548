package runner

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal/journaltest"
	"github.com/a-seed-11b9befa/flow/steps"
)

// readSource is a workflow with a result of each kind.
const readSource = `
name: t
model: openai/m
inputs: {n: {type: integer, default: 3}}
steps:
  - {id: ask, prompt: hi, tools: [read]}
  - {id: each, foreach: "${{ 1..inputs.n }}", on_error: continue, run: "test ${{ item }} != 2 && echo ${{ item }}"}
  - {id: g, steps: [{id: in, run: echo, output: lines}]}
  - {id: off, if: "1 > 2", run: echo}
outputs: {z: "${{ steps.each.status }}", a: "${{ inputs.n }}"}
`

func TestReadResultIsWhatWasWritten(t *testing.T) {
	tr := newTrial(t)
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		if len(req.Messages) == 1 {
			return calls("read"), nil
		}
		m := says("there")
		m.Usage = providers.Usage{InputTokens: 5, OutputTokens: 2}
		return m, nil
	}
	want := tr.run(readSource)
	got, err := ReadResult(filepath.Join(tr.dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	hidden := cmpopts.IgnoreUnexported(Result{}, StepResult{}, ElementResult{})
	if diff := cmp.Diff(want, got, hidden, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("result (-written +read):\n%s", diff)
	}
	if diff := cmp.Diff(elementsOf(t, want.Steps[1]), elementsOf(t, got.Steps[1]), hidden, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("elements (-written +read):\n%s", diff)
	}
	if statuses(got) != statuses(want) {
		t.Errorf("got %s, want %s", statuses(got), statuses(want))
	}
	if got.Text() != want.Text() {
		t.Errorf("it says %q, and said %q", got.Text(), want.Text())
	}
	var again strings.Builder
	if err := got.WriteJSON(&again, nil); err != nil || again.String() != tr.file("run/run.json") {
		t.Errorf("written again it is %v\n%s\nand was\n%s", err, again.String(), tr.file("run/run.json"))
	}
}

// cutOff is the folder of the trial's run, with its journal cut off before the first
// record that holds a text.
func (tr *trial) cutOff(t *testing.T, before string) string {
	t.Helper()
	whole := tr.file("run/journal.jsonl")
	at := strings.Index(whole, before)
	if at < 0 {
		t.Fatalf("no %s in\n%s", before, whole)
	}
	dir := t.TempDir()
	write(t, dir, "journal.jsonl", whole[:at]) // in the middle of a line
	return dir
}

// A run that was killed is known as far as its journal goes.
func TestReadResultOfARunThatWasKilled(t *testing.T) {
	tr := newTrial(t)
	tr.run(readSource)
	r, err := ReadResult(tr.cutOff(t, `"unit":"g~1"`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := statuses(r), "ask=succeeded each=failed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !r.Finished.IsZero() || r.Status != steps.Failed || r.Error.Kind != steps.KindInternal || r.Workflow.Name != "t" || r.Running {
		t.Errorf("got %+v", r)
	}
	if e := elementsOf(t, r.Steps[1]); len(e) != 3 || e[0].Text != "1" || e[1].Status != steps.Failed {
		t.Errorf("elements %+v", e)
	}
}

// What a killed run says is what the last of its steps said, and not a step inside of that.
func TestTextOfARunThatWasKilled(t *testing.T) {
	tr := newTrial(t)
	tr.write("used.yaml", "name: used\nsteps: [{id: in, run: echo inside}]\noutputs: {said: outside}\n")
	tr.run("name: t\nsteps:\n  - {id: first, run: echo first}\n  - {id: part, uses: used.yaml}\n  - {id: never, if: 1 > 2, run: echo never}\n")
	r, err := ReadResult(tr.cutOff(t, `"kind":"end"`))
	if err != nil || r.Text() != "outside" {
		t.Errorf("%q, %v", r.Text(), err)
	}
}

// What a killed run has used is counted as if it had ended.
func TestAKilledRunCountsAsResultsDo(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) {
		o.Price = func(model string, _ providers.Usage) (float64, bool) { return 0.5, model == "openai/known" }
	}
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		answer := calls("look")
		if req.Step == "retried" {
			answer = says("no number")
		}
		answer.Usage = providers.Usage{InputTokens: 5}
		return answer, nil
	}
	want := tr.run(`
name: t
steps:
  - {id: alone, model: openai/known, on_error: continue, prompt: Look., tools: [look], stop: {max_turns: 1}}
  - {id: retried, model: a/one, on_error: continue, prompt: Say., output: {type: integer}, retry: {max_attempts: 2, backoff: 1ms}}
  - {id: each, foreach: [1, 2], model: b/two, on_error: continue, prompt: Look., tools: [look], stop: {max_turns: 2}}
`)
	type amounts struct {
		Calls    int
		Usage    providers.Usage
		Cost     *float64
		Unpriced []string
		Denied   []steps.Denial
	}
	amountsOf := func(r *Result) (all []amounts) {
		for _, s := range r.Steps {
			all = append(all, amounts{s.ToolCalls, *s.Usage, s.CostUSD, s.Unpriced, s.Denied})
		}
		return append(all, amounts{Usage: r.Usage, Unpriced: r.Unpriced})
	}
	for _, before := range []string{`"kind":"end"`, `"kind":"ended","unit":"each"`} {
		got, err := ReadResult(tr.cutOff(t, before))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(amountsOf(want), amountsOf(got), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("before %s, amounts (-of the run +of its journal):\n%s", before, diff)
		}
		var written strings.Builder
		if err := got.WriteJSON(&written, nil); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`"inputs": {}`, `"unpriced_models": [`, `"cost_usd": null`} {
			if !strings.Contains(written.String(), part) {
				t.Errorf("there is no %s in\n%s", part, written.String())
			}
		}
	}
}

// A run that was killed in a later round of a group is known by that round alone,
// also where a step of it has not begun.
func TestAKilledRunIsKnownByItsLastRound(t *testing.T) {
	tr := newTrial(t)
	tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
		answer := says("fine")
		answer.Usage = providers.Usage{InputTokens: 5}
		return answer, nil
	}
	tr.run(`
name: t
model: openai/x
steps:
  - id: loop
    retry: {max_attempts: 2, backoff: 1ms}
    max_rounds: 3
    until: "false"
    steps:
      - {id: a, prompt: Go.}
      - {id: plain, steps: [{id: b, prompt: Go.}]}
      - {id: c, run: "true"}
`)
	for before, want := range map[string]string{
		`"kind":"ended","unit":"loop~2/plain#3/b"`: "loop  3 60, loop/a succeeded 0 5, loop/plain  0 5, loop/plain/b  0 5",
		`"kind":"ended","unit":"loop"`:             "loop  3 60, loop/a succeeded 0 5, loop/plain succeeded 0 5, loop/plain/b succeeded 0 5, loop/c succeeded 0 0",
	} {
		r, err := ReadResult(tr.cutOff(t, before))
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range r.Steps {
			tokens := int64(0)
			if s.Usage != nil {
				tokens = s.Usage.Total()
			}
			all = append(all, fmt.Sprintf("%s %s %d %d", s.Path(), s.Status, s.Rounds, tokens))
		}
		if got := strings.Join(all, ", "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Whatever a journal says, it is read, or there is an error. Its lines have the right
// sums, so that what is in them is read.
func FuzzReadResult(f *testing.F) {
	const first = `{"kind":"run","version":1,"data":{"run_id":"r","steps":[{"path":"a","kind":"run"}],"inputs":{}}}` + "\n"
	f.Add(first + `{"kind":"decided","about":"elements","unit":"a","count":3,"data":{"left_out":[[1,1]],"items":[1,2,3]}}
{"kind":"ended","unit":"a[0]","status":"failed","data":{"error":{"kind":"tool","message":"x"}}}
{"kind":"ended","unit":"a","data":{"never":{"status":"cancelled"}}}
{"kind":"end","data":{"status":"failed"}}` + "\n")
	f.Add(first + `{"kind":"said","unit":"a[2]/b#2~1","used":{"turns":1,"usage":{"input_tokens":1},"cost_usd":0},"data":{"turn":1,"message":{"role":"assistant"}}}
{"kind":"answer","unit":"a[2]/b#2~1","data":{"status":"denied","place":7}}
{"kind":"resumed","from":["a[2]"]}
{"kind":"decided","about":"keep","unit":"a[2]/b#3","data":{}}
{"kind":"decided","about":"elements","unit":"a","count":1000000,"data":{"items":[]}}` + "\n")
	f.Fuzz(func(t *testing.T, lines string) {
		dir := t.TempDir()
		journaltest.Write(t, dir, lines)
		r, err := ReadResult(dir)
		if err != nil {
			return
		}
		for _, step := range r.Steps {
			for _, err := range step.Elements() {
				_ = err
			}
		}
		var b strings.Builder
		_ = r.WriteJSON(&b, nil)
	})
}

// What a step that has not ended has used is counted as its result will have it.
func TestAnOpenStepIsCounted(t *testing.T) {
	const first = `{"kind":"run","version":1,"data":{"run_id":"r","steps":[{"path":"a","kind":"prompt"},{"path":"g","kind":"steps"},{"path":"g/a","kind":"prompt"}],"inputs":{}}}`
	said := func(unit, more string) string {
		return `{"kind":"said","unit":"` + unit + `","used":{"turns":1,"usage":{"input_tokens":5},"cost_usd":0},"data":{"turn":1,"message":{"role":"assistant","blocks":[{"type":"tool_call","id":"c","name":"rm","arguments":{}}]},"used":[{"model":"m","usage":{"input_tokens":5}}]` + more + `}}`
	}
	cutOff := strings.Replace(said("a~1", `,"cut":true`), `"turns":1,`, "", 1)
	const denied = `{"kind":"answer","unit":"a~1","call":"c","status":"denied","used":{"tool_calls":1},"data":{"turn":1,"place":0,"status":"denied","tool":"rm","arguments":{}}}`
	for name, tt := range map[string]struct {
		lines []string
		want  string
	}{
		"an answer that was interrupted is asked for again, as the same turn": {
			[]string{`{"kind":"began","unit":"a~1"}`, cutOff, `{"kind":"resumed"}`, `{"kind":"began","unit":"a~1"}`, said("a~1", "")},
			"a: 1 turns, 10 tokens",
		},
		"a call that is denied in a later process": {
			[]string{`{"kind":"began","unit":"a~1"}`, said("a~1", ""), `{"kind":"resumed"}`, `{"kind":"began","unit":"a~1"}`, denied},
			"a: 1 turns, 5 tokens, denied rm",
		},
		"what is kept": {
			[]string{
				`{"kind":"began","unit":"g~1"}`, said("g/a~1", ""), `{"kind":"ended","unit":"g/a","status":"succeeded","data":{"status":"succeeded","turns":1,"usage":{"input_tokens":5}}}`,
				`{"kind":"resumed","changed":true,"data":{"start":{"run_id":"r","steps":[{"path":"g","kind":"steps"},{"path":"g/a","kind":"prompt"}],"inputs":{}}}}`,
				`{"kind":"began","unit":"g~2"}`, `{"kind":"decided","about":"keep","unit":"g~2/a","count":4,"status":"succeeded","data":{"status":"succeeded","turns":1,"usage":{"input_tokens":5}}}`,
			},
			"g: 0 turns, 0 tokens\ng/a: 1 turns, 5 tokens",
		},
	} {
		dir := t.TempDir()
		journaltest.Write(t, dir, first+"\n"+strings.Join(tt.lines, "\n")+"\n")
		r, err := ReadResult(dir)
		if err != nil {
			t.Fatal(name, err)
		}
		var lines []string
		for _, s := range r.Steps {
			line := fmt.Sprintf("%s: %d turns, %d tokens", s.Path(), s.Turns, s.Numbers().Tokens)
			for _, d := range s.Denied {
				line += ", denied " + d.Tool
			}
			lines = append(lines, line)
		}
		if diff := cmp.Diff(tt.want, strings.Join(lines, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
