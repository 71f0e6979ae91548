package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a-seed-11b9befa/flow/providers"
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

func TestReadEventsAreThoseThatWereTold(t *testing.T) {
	tr := newTrial(t)
	tr.run(readSource)
	var got []Event
	for e, err := range ReadEvents(filepath.Join(tr.dir, "run")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq != int64(len(got)+1) {
			t.Errorf("event %d has the number %d", len(got)+1, e.Seq)
		}
		e.Seq = 0
		got = append(got, e)
	}
	var want []Event
	for _, e := range tr.events {
		if e.Type != steps.BlockDelta {
			e.Elapsed, e.Duration = e.Elapsed.Truncate(1e6), e.Duration.Truncate(1e6)
			want = append(want, e)
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(steps.Error{}, "Hint", "Err")); diff != "" {
		t.Errorf("events (-told +read):\n%s", diff)
	}
}

// A run that was killed is known by its events, and by the files of the steps
// that had ended.
func TestReadResultOfARunThatWasKilled(t *testing.T) {
	tr := newTrial(t)
	tr.run(readSource)
	dir := filepath.Join(tr.dir, "run")
	events := tr.file("run/events.jsonl")
	cut := strings.Index(events, `"type":"step_started","run_id":"r1","step":"g"`)
	if cut < 0 {
		t.Fatal("the group has no event")
	}
	write(t, dir, "events.jsonl", events[:cut]) // in the middle of a line
	if err := os.Remove(filepath.Join(dir, "run.json")); err != nil {
		t.Fatal(err)
	}
	r, err := ReadResult(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := statuses(r), "ask=succeeded each=failed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !r.Finished.IsZero() || r.Status != steps.Failed || r.Error.Kind != steps.KindInternal || r.Workflow.Name != "t" {
		t.Errorf("got %+v", r)
	}
	if e := elementsOf(t, r.Steps[1]); len(e) != 3 || e[0].Text != "1" || e[1].Status != steps.Failed {
		t.Errorf("elements %+v", e)
	}
}

// What a killed run has used is counted as if it had ended, whether the files of
// its steps are there or not.
func TestReplayCountsAsResultsDo(t *testing.T) {
	tr := newTrial(t)
	tr.change = func(o *Options) {
		o.Price = func(model string, _ providers.Usage) (float64, bool) { return 0.5, model == "openai/known" }
	}
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		answer := calls("look") // and in the turn without tools
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
	dir := filepath.Join(tr.dir, "run")
	if err := errors.Join(os.Remove(filepath.Join(dir, "run.json")), os.RemoveAll(filepath.Join(dir, "steps"))); err != nil {
		t.Fatal(err)
	}
	got, err := ReadResult(dir)
	if err != nil {
		t.Fatal(err)
	}
	type amounts struct {
		Turns, Calls int
		Usage        providers.Usage
		Cost         *float64
		Unpriced     []string
	}
	amountsOf := func(r *Result) (all []amounts) {
		for _, s := range r.Steps {
			all = append(all, amounts{s.Turns, s.ToolCalls, *s.Usage, s.CostUSD, s.Unpriced})
		}
		return append(all, amounts{Usage: r.Usage, Unpriced: r.Unpriced})
	}
	if diff := cmp.Diff(amountsOf(want), amountsOf(got), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("amounts (-of the run +of its events):\n%s", diff)
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

// What answers used that broke off before the run was killed is counted, too.
func TestReplayCountsBrokenAnswers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "events.jsonl", `{"seq":1,"type":"run_started","run_id":"r","workflow":"w"}
{"seq":2,"type":"step_started","run_id":"r","step":"s","kind":"prompt"}
{"seq":3,"type":"retry","run_id":"r","step":"s","turn":1,"model":"a/one","usage":{"input_tokens":10},"cost_usd":0.5,"attempt":1}
{"seq":4,"type":"warning","run_id":"r","step":"s","turn":1,"model":"a/two","usage":{"input_tokens":20},"message":"b/three is asked instead"}
{"seq":5,"type":"turn_finished","run_id":"r","step":"s","turn":1,"model":"b/three","usage":{"input_tokens":5},"cost_usd":0.25}
`)
	r, err := ReadResult(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Steps[0]
	if r.Usage.InputTokens != 35 || s.Usage.InputTokens != 35 || s.Turns != 1 {
		t.Errorf("used %+v, the step %+v in %d turns", r.Usage, s.Usage, s.Turns)
	}
	if unpriced := []string{"a/two"}; !slices.Equal(r.Unpriced, unpriced) || !slices.Equal(s.Unpriced, unpriced) || r.Cost.Known || r.Cost.USD != 0.75 {
		t.Errorf("unpriced %q, of the step %q; cost %+v", r.Unpriced, s.Unpriced, r.Cost)
	}
}

// A run that was killed in a later round of a group is known by that round alone,
// also where a step of it has not begun.
func TestReplayKnowsTheLastRound(t *testing.T) {
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
	dir := filepath.Join(tr.dir, "run")
	if err := errors.Join(os.Remove(filepath.Join(dir, "run.json")), os.RemoveAll(filepath.Join(dir, "steps"))); err != nil {
		t.Fatal(err)
	}
	events := tr.file("run/events.jsonl")
	known := func(before string) string {
		t.Helper()
		cut := strings.LastIndex(events, before)
		if cut < 0 {
			t.Fatalf("no %s", before)
		}
		write(t, dir, "events.jsonl", events[:cut])
		r, err := ReadResult(dir)
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
		return strings.Join(all, ", ")
	}
	if got, want := known(`"type":"step_finished","run_id":"r1","step":"loop/plain/b"`), "loop  3 0, loop/a succeeded 0 5, loop/plain  0 0, loop/plain/b  0 5"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := known(`"type":"step_finished","run_id":"r1","step":"loop"`), "loop  3 0, loop/a succeeded 0 5, loop/plain succeeded 0 0, loop/plain/b succeeded 0 5, loop/c succeeded 0 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTurnCount(t *testing.T) {
	turn := func(of string, number int) Event {
		return Event{Unit: unitOf(t, of), Event: steps.Event{Turn: number}}
	}
	var c turnCount
	for _, e := range []Event{
		turn("each[0]~1", 1), turn("each[0]~1", 2), turn("each[1]~1", 1), turn("each[1]~2", 1), turn("each[1]~2", 1),
	} {
		c.took(e)
	}
	if c.sum() != 4 {
		t.Errorf("%d turns while it runs, want 2 and one for each attempt", c.sum())
	}
	c.ended(Event{Unit: unitOf(t, "each[0]"), Turns: 1})
	if c.sum() != 3 {
		t.Errorf("%d turns, want 1 of the element that has ended, and 2", c.sum())
	}
}

func TestReadEventsOfABrokenFile(t *testing.T) {
	const line = `{"seq":%d,"time":"2026-11-21T03:15:22Z","type":"warning","run_id":"r1","message":"%s"}` + "\n"
	dir := t.TempDir()
	huge := strings.Repeat("x", mostEventBytes)
	write(t, dir, "events.jsonl", fmt.Sprintf(line, 1, "a")+"no json\n"+fmt.Sprintf(line, 2, huge)+fmt.Sprintf(line, 3, "b")+`{"seq":4,"ti`)
	var got []string
	for e, err := range ReadEvents(dir) {
		if err != nil {
			got = append(got, fmt.Sprintf("%.30s", err))
			continue
		}
		got = append(got, e.Message)
	}
	want := []string{"a", "events.jsonl:2: invalid charac", "events.jsonl:3: longer than 64", "b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for _, err := range ReadEvents(t.TempDir()) {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v, want that there is no file", err)
		}
	}
}

func TestReadLine(t *testing.T) {
	r := bufio.NewReaderSize(strings.NewReader("short\n"+strings.Repeat("y", 50)+"\nlast one\ntorn"), 16)
	for _, want := range []string{"short\n", "", "last one\n"} {
		line, err := readLine(r, 20)
		if string(line) != want || (err != nil) != (want == "") {
			t.Errorf("got %q, %v, want %q", line, err, want)
		}
	}
	if line, err := readLine(r, 20); err == nil {
		t.Errorf("a line without an end: %q", line)
	}
}

func FuzzReadResult(f *testing.F) {
	f.Add(`{"run_id": "r1", "steps": {"a": {"status": "failed", "results": [{"index": 0}, {"index": 1, "item": [1]}]}}}`, `{"seq":1,"type":"run_started","run_id":"r1"}`)
	f.Add("", `{"type":"step_finished","run_id":"r1","step":"../../a","index":-1,"error":"x"}`+"\n")
	f.Fuzz(func(t *testing.T, result, events string) {
		dir := t.TempDir()
		write(t, dir, "events.jsonl", events)
		for range 2 {
			r, err := ReadResult(dir)
			if err == nil {
				for _, step := range r.Steps {
					for _, err := range step.Elements() {
						_ = err
					}
				}
				var b strings.Builder
				_ = r.WriteJSON(&b, nil)
			}
			write(t, dir, "run.json", result)
		}
	})
}
