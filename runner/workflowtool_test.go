package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/google/go-cmp/cmp"
)

// delegates is a workflow whose agents call others as tools: side by side, in a foreach, in a group with
// rounds and inside of each other.
const delegates = `
name: delegates
model: fake/one
outputs: {all: "${{ steps.pages.output }}", loop: "${{ steps.loop.output }}", one: "${{ steps.one.text }}"}
steps:
  - {id: one, prompt: "delegate", tools: [note, {workflow: deep.yaml, name: look}]}
  - {id: pages, foreach: [x, y], prompt: "delegate ${{ item }}", tools: [{workflow: rate.yaml, name: rate}]}
  - id: loop
    until: round == 2
    steps:
      - {id: in, prompt: "round ${{ round }}", tools: [{workflow: deep.yaml, name: look}]}
`

const rateUsed = `
name: rate
description: Rates a thing.
inputs: {n: {type: integer}, what: {type: string, default: something}}
outputs: {judged: "${{ steps.judge.text }}", counted: "${{ steps.count.text }}", sure: "${{ steps.sure.output }}"}
steps:
  - {id: count, run: "echo ${{ inputs.n }}"}
  - {id: judge, prompt: "rate ${{ inputs.what }} ${{ steps.count.text }}", tools: [note, {workflow: deep.yaml, name: look}]}
  - {id: sure, ask: "Is ${{ inputs.n }} right?", choices: [yes, no]}
`

const deepUsed = `
name: look
description: Looks closer.
inputs: {n: {type: integer}}
steps:
  - {id: said, prompt: "look ${{ inputs.n }}", tools: [note]}
`

// newCaller returns the journey of a workflow whose agents call others. Each calls all that it is offered, some
// twice, and then says what it heard.
func newCaller(t *testing.T, run string) *journey {
	j := newJourney(t, run)
	j.write("rate.yaml", rateUsed)
	j.write("deep.yaml", deepUsed)
	j.trial.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		turn, heard := 0, ""
		for _, m := range req.Messages {
			if m.Role == providers.RoleAssistant {
				turn++
			}
			for _, b := range m.Blocks {
				heard += b.Content
			}
		}
		j.mu.Lock()
		j.asked[fmt.Sprintf("%s %d", req.Conversation, turn)]++
		j.mu.Unlock()
		m := says("said: " + req.Prompt + heard)
		if turn == 0 {
			var names []string
			for _, tool := range req.Tools {
				if names = append(names, tool.Name); strings.HasPrefix(req.Prompt, "delegate") {
					names = append(names, tool.Name)
				}
			}
			m = calls(names...)
			for i, name := range names {
				if name == "note" {
					m.Blocks[i].Arguments = json.RawMessage(fmt.Sprintf(`{"at": "%s", "n": %d}`, req.Conversation, i))
				}
			}
		}
		m.Usage = providers.Usage{InputTokens: 10, OutputTokens: 5}
		return m, nil
	}
	return j
}

// Killed after any record, a run in which models call workflows comes to the same result, usage and cost, and
// nothing in these is done twice that had ended.
func TestCallsOfWorkflowsGoOnAfterEachRecord(t *testing.T) {
	first := newCaller(t, "")
	if r := first.run(delegates); r.Status != "succeeded" {
		t.Fatalf("%s: %v", statuses(r), r.Error)
	}
	run := filepath.Join(first.dir, "run")
	want := first.resultIn(run)
	total := strings.Count(first.file("run/journal.jsonl"), "\n")
	step := 1
	if testing.Short() {
		step = 5
	}
	for n := 1; n <= total; n += step {
		dir := cutTo(t, run, n)
		saidBefore, answeredBefore, open := journalOf(t, dir)
		j := newCaller(t, dir)
		if _, err := j.try(delegates); err != nil {
			t.Fatalf("after record %d: %v", n, err)
		}
		got := strings.ReplaceAll(j.resultIn(dir), "Failed: it was cut off while it ran; whether it took effect is not known. Look before you repeat it.", "noted")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after record %d of %d:\n%s", n, total, diff)
		}
		saidAll, answeredAll, _ := journalOf(t, dir)
		for what, times := range saidAll {
			if times > 1 {
				t.Errorf("after record %d: %s was asked %d times", n, what, times)
			}
		}
		for what, times := range answeredAll {
			if times > 1 {
				t.Errorf("after record %d: call %s ended %d times", n, what, times)
			}
		}
		if asked := sum(j.asked); asked+sum(saidBefore) != sum(first.asked) {
			t.Errorf("after record %d: %d requests, %d were answered before, of %d", n, asked, sum(saidBefore), sum(first.asked))
		}
		if noted := sum(j.noted); noted+sum(answeredBefore)+len(open) > sum(first.noted)+len(answeredBefore) {
			t.Errorf("after record %d: %d calls", n, noted)
		}
		if ended := endsIn(j.read(dir)); ended != "" {
			t.Errorf("after record %d: %s ended twice", n, ended)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d records", total)
}

// endsIn returns a unit that a journal has ended twice; "" if there is none.
func endsIn(text string) string {
	ended := map[string]bool{}
	for line := range strings.Lines(text) {
		var r struct{ Kind, Unit string }
		if json.Unmarshal([]byte(line), &r) == nil && r.Kind == "ended" {
			if ended[r.Unit] {
				return r.Unit
			}
			ended[r.Unit] = true
		}
	}
	return ""
}
