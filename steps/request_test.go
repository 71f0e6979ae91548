package steps

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

func TestRequestHasAllOfTheStep(t *testing.T) {
	model := playing(calls(`echo {}`), says("done"))
	temperature := 0.5
	params := providers.Params{Temperature: &temperature, MaxOutputTokens: 100}
	a := Agent{
		Model: model, System: "Be brief.", Prompt: "go", Params: params, Tools: toolbox(t),
		Step: "group/pages", Conversation: "group/pages/3",
	}
	a.Run(t.Context())
	for i, req := range model.asked {
		got := providers.Request{
			System: req.System, Params: req.Params, Step: req.Step,
			Conversation: req.Conversation, Prompt: req.Prompt,
		}
		want := providers.Request{
			System: "Be brief.", Params: params, Step: "group/pages",
			Conversation: "group/pages/3", Prompt: "go",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("request %d: %s", i+1, diff)
		}
		if len(req.Tools) != 5 || req.Tools[0].Name != "echo" || len(req.Tools[0].Parameters) == 0 || req.NoTools {
			t.Errorf("request %d offers %d tools", i+1, len(req.Tools))
		}
		if n := len(req.Messages); n != 1+2*i {
			t.Errorf("request %d has %d messages", i+1, n)
		}
	}
}

// A request is the model's to keep: the conversation that goes on does not
// change it.
func TestRequestsShareNothingThatChanges(t *testing.T) {
	var turns []play
	for range 9 {
		turns = append(turns, calls(`echo {}`))
	}
	model := playing(append(turns, says("done"))...)
	model.info.StructuredOutput = false
	a := Agent{Model: model, Prompt: "go", Tools: toolbox(t), Output: schema(t, scoreSchema), Stop: Stop{MaxTurns: 9}}
	a.Run(t.Context())
	for i, req := range model.asked {
		if n := len(req.Messages); n != 1+2*i && n != 2+2*i { // the last has the wrap-up's words
			t.Errorf("request %d has %d messages", i+1, n)
		}
		if last := req.Tools[len(req.Tools)-1].Name; len(req.Tools) != 6 || last != "final_result" {
			t.Errorf("request %d: %d tools, the last is %s", i+1, len(req.Tools), last)
		}
	}
}

// An answer without anything in it is sent to nobody.
func TestEmptyAnswerIsNotSentBack(t *testing.T) {
	model := playing(answer(providers.FinishStop), says(`{"score":4}`))
	a := Agent{Model: model, Prompt: "rate", Output: schema(t, scoreSchema)}
	if r := a.Run(t.Context()); r.Status != Succeeded {
		t.Fatalf("%s: %v", r.Status, r.Error)
	}
	for _, m := range model.asked[1].Messages {
		if len(m.Blocks) == 0 {
			t.Error("an empty message is sent")
		}
	}
}

func TestEmptyTextIsWarnedOf(t *testing.T) {
	var l log
	a := Agent{Model: playing(answer(providers.FinishStop)), Prompt: "go", Hooks: l.hooks()}
	a.Run(t.Context())
	last := l.events[len(l.events)-1]
	if last.Type != Warning || !strings.Contains(last.Message, "is empty") {
		t.Errorf("the last event is %+v", last)
	}
}

// A fallback answers under its own name, and is paid by it.
func TestAnotherModelAnswers(t *testing.T) {
	second := func(ctx context.Context, req providers.Request) (providers.Message, error) {
		m, err := says("done")(ctx, req)
		m.Model = "b/two"
		return m, err
	}
	var paid []string
	a := Agent{Model: playing(calls(`echo {}`), second), Prompt: "go", Tools: toolbox(t), Hooks: Hooks{
		Price: func(model string, _ providers.Usage) (float64, bool) {
			paid = append(paid, model)
			return 1, model == "fake/one"
		},
	}}
	r := a.Run(t.Context())
	if diff := cmp.Diff([]string{"fake/one", "b/two"}, slices.Compact(paid)); diff != "" {
		t.Error(diff)
	}
	if r.CostUSD != nil || len(r.Unpriced) != 1 || r.Unpriced[0] != "b/two" {
		t.Errorf("cost %v, unpriced %v", r.CostUSD, r.Unpriced)
	}
}

// A model of the program's own that panics has failed; it is no bug of flow.
func TestBrokenModel(t *testing.T) {
	crashes := func(context.Context, providers.Request) (providers.Message, error) { panic("no more") }
	a := Agent{Model: playing(calls(`echo {}`), crashes), Prompt: "go", Tools: toolbox(t)}
	r := a.Run(t.Context())
	if r.Status != Failed || r.Error.Kind != KindInternal || r.Error.Message != "the model fake/one crashed: no more" || r.Turns != 1 {
		t.Errorf("%+v, %v", r, r.Error)
	}
}

// What a condition sees after each turn.
func TestStateOfAConditionIsWhole(t *testing.T) {
	var seen []State
	a := Agent{
		Model: playing(calls(`echo {"a":1}`, `secret {}`), says("done")), Prompt: "go", Tools: toolbox(t),
		Stop: Stop{When: func(s State) (bool, error) { seen = append(seen, s); return false, nil }},
		Hooks: Hooks{Price: func(_ string, u providers.Usage) (float64, bool) {
			return float64(u.Total()), true
		}},
	}
	a.Run(t.Context())
	made := []Called{
		{Tool: "echo", Arguments: json.RawMessage(`{"a":1}`), Status: tools.Succeeded, Turn: 1},
		{Tool: "secret", Arguments: json.RawMessage(`{}`), Status: tools.Denied, Turn: 1},
	}
	want := []State{
		{Turn: 1, Usage: providers.Usage{InputTokens: 10, OutputTokens: 5}, CostUSD: 15, Calls: made},
		{Turn: 2, Text: "done", Finished: true, Usage: providers.Usage{InputTokens: 20, OutputTokens: 10}, CostUSD: 30, Calls: made},
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}
