package runner

import (
	"context"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/google/go-cmp/cmp"
)

func TestPartsOfUnits(t *testing.T) {
	tests := []struct {
		unit, step            string
		index, round, attempt int
	}{
		{"a", "a", -1, 0, 0},
		{"a~1", "a", -1, 0, 0},
		{"a~2", "a", -1, 0, 2},
		{"a[3]", "a", 3, 0, 0},
		{"g/a#2~3", "g/a", -1, 2, 3},
		{"g[1]/a~1", "g/a", 1, 0, 0},
		{"g[1]~2/h/a#4[0]/b", "g/h/a/b", 0, 4, 0},
	}
	for _, test := range tests {
		e := Event{Unit: unitOf(t, test.unit)}
		e.locate()
		got := test
		if got.step, got.index, got.round, got.attempt = e.Step, -1, e.Round, e.StepAttempt; e.Index != nil {
			got.index = *e.Index
		}
		if got != test {
			t.Errorf("got  %+v\nwant %+v", got, test)
		}
	}
}

// Events, results and errors have one address for one thing.
func TestUnitsOfARun(t *testing.T) {
	tr := newTrial(t)
	asked := map[string]int{}
	tr.change = func(o *Options) { o.MaxParallel = 1 }
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		asked[req.Conversation]++
		if req.Step == "loop/ask" && !strings.Contains(req.Conversation, "~2") {
			return providers.Message{}, &providers.Error{Kind: providers.KindOverloaded}
		}
		return says("there"), nil
	}
	r := tr.run(`
name: t
model: openai/m
steps:
  - id: loop
    until: round == 2
    steps:
      - {id: ask, retry: {max_attempts: 2, backoff: 1ms}, prompt: hi}
  - id: pages
    foreach: ${{ ["a", "b"] }}
    max_parallel: 1
    steps:
      - {id: check, foreach: "${{ [item] }}", run: "test ${{ item }} = a"}
`)
	var units []string
	for _, e := range tr.events {
		if e.Type == StepFinished || e.Type == steps.Retry || e.Type == steps.TurnFinished {
			units = append(units, string(e.Type)+" "+e.Unit.String())
		}
	}
	want := []string{
		"retry loop/ask#1~2", "turn_finished loop/ask#1~2", "step_finished loop/ask#1",
		"retry loop/ask#2~2", "turn_finished loop/ask#2~2", "step_finished loop/ask#2", "step_finished loop",
		"step_finished pages[0]/check[0]", "step_finished pages[0]/check", "step_finished pages[0]",
		"step_finished pages[1]/check[0]", "step_finished pages[1]/check", "step_finished pages[1]", "step_finished pages",
	}
	if diff := cmp.Diff(want, units); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
	if got := r.Error.Unit.String(); got != "pages[1]/check[0]" {
		t.Errorf("the run failed at %q", got)
	}
	for path, want := range map[string]string{"loop": "loop", "loop/ask": "loop/ask#2", "pages": "pages"} {
		for _, s := range r.Steps {
			if s.Path() == path && s.Unit.String() != want {
				t.Errorf("%s is %q, want %q", path, s.Unit, want)
			}
		}
	}
	for _, part := range []string{`"unit": "loop/ask#2"`, `"unit":"pages[1]/check"`, `"unit":"pages[1]/check[0]"`} {
		if !strings.Contains(tr.file("run/run.json"), part) {
			t.Errorf("run.json has no %s", part)
		}
	}
}
