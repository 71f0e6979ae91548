package steps

import (
	"errors"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Every way in which an agent's step ends but by its context.
func TestAgentEnds(t *testing.T) {
	again := calls(`echo {"same":true}`)
	text := func(s string) providers.Block { return providers.Block{Type: providers.BlockText, Text: s} }
	thinking := providers.Block{Type: providers.BlockThinking, Text: "hmm"}
	tests := []struct {
		name   string
		turns  []play
		agent  Agent
		status Status
		reason Reason
		kind   Kind
		text   string
		made   int // turns
		calls  int
		told   string // in the error
	}{
		{name: "done at once", turns: []play{says("hi")}, status: Succeeded, reason: ReasonCompleted, text: "hi", made: 1},
		{name: "done after a call", turns: []play{calls(`echo {}`), says("hi")}, status: Succeeded, reason: ReasonCompleted, text: "hi", made: 2, calls: 1},
		{name: "an empty text is a result", turns: []play{answer(providers.FinishStop)}, status: Succeeded, reason: ReasonCompleted, made: 1},
		{name: "content filter", turns: []play{answer(providers.FinishContentFilter, text("Once"))}, status: Failed, reason: ReasonContentFilter, kind: KindContentFilter, text: "Once", made: 1},
		{name: "a refusal", turns: []play{answer(providers.FinishContentFilter, providers.Block{Type: providers.BlockThinking, Text: "I can't help with that."})}, status: Failed, reason: ReasonContentFilter, kind: KindContentFilter, told: "refused: I can't help with that.", made: 1},
		{name: "content filter with calls runs none", turns: []play{answer(providers.FinishContentFilter, blocks(`echo {}`)...)}, status: Failed, reason: ReasonContentFilter, kind: KindContentFilter, made: 1},
		{name: "an error with calls runs none", turns: []play{answer(providers.FinishError, blocks(`echo {}`)...)}, status: Failed, reason: ReasonError, kind: KindProvider, made: 1},
		{name: "length", turns: []play{answer(providers.FinishLength, text("Once upon"))}, status: Stopped, reason: ReasonOutputLimit, kind: KindLimit, text: "Once upon", made: 1},
		{name: "length of thinking alone", turns: []play{answer(providers.FinishLength, thinking)}, status: Stopped, reason: ReasonOutputLimit, kind: KindLimit, made: 1},
		{name: "one cut call is told", turns: []play{answer(providers.FinishLength, blocks(`echo {"a`)...), says("short")}, status: Succeeded, reason: ReasonCompleted, text: "short", made: 2, calls: 1},
		{name: "cut calls twice running", turns: []play{answer(providers.FinishLength, blocks(`echo {"a`)...), answer(providers.FinishLength, blocks(`echo {"b`)...)}, status: Stopped, reason: ReasonOutputLimit, kind: KindLimit, made: 2, calls: 2},
		{name: "an answer that is an error", turns: []play{answer(providers.FinishError, text("x"))}, status: Failed, reason: ReasonError, kind: KindProvider, text: "x", made: 1},
		{name: "max_turns", turns: []play{again, again, says("so far")}, agent: Agent{Stop: Stop{MaxTurns: 2}}, status: Stopped, reason: ReasonMaxTurns, kind: KindLimit, text: "so far", made: 2, calls: 2},
		{name: "max_turns reached by a finished turn", turns: []play{again, says("done")}, agent: Agent{Stop: Stop{MaxTurns: 2}}, status: Succeeded, reason: ReasonCompleted, text: "done", made: 2, calls: 1},
		{name: "max_turns accepted", turns: []play{again, says("so far")}, agent: Agent{Stop: Stop{MaxTurns: 1, AcceptLimit: true}}, status: Succeeded, reason: ReasonMaxTurns, text: "so far", made: 1, calls: 1},
		{name: "an empty wrap-up is not accepted", turns: []play{again, answer(providers.FinishStop)}, agent: Agent{Stop: Stop{MaxTurns: 1, AcceptLimit: true}}, status: Stopped, reason: ReasonMaxTurns, kind: KindLimit, made: 1, calls: 1},
		{name: "calls in the wrap-up are not run", turns: []play{again, calls(`breaks {}`)}, agent: Agent{Stop: Stop{MaxTurns: 1}}, status: Stopped, reason: ReasonMaxTurns, kind: KindLimit, made: 1, calls: 1},
		{name: "a wrap-up that fails", turns: []play{answer(providers.FinishToolCalls, append(blocks(`echo {}`), text("on my way"))...)}, agent: Agent{Stop: Stop{MaxTurns: 1}}, status: Stopped, reason: ReasonMaxTurns, kind: KindLimit, text: "on my way", made: 1, calls: 1},
		{name: "max_tool_calls", turns: []play{calls(`echo {}`, `secret {}`, `echo {"b":1}`), says("so far")}, agent: Agent{Stop: Stop{MaxToolCalls: 2}}, status: Stopped, reason: ReasonMaxToolCalls, kind: KindLimit, text: "so far", made: 1, calls: 2},
		{name: "max_tool_calls just reached", turns: []play{calls(`echo {}`, `echo {"b":1}`), says("done")}, agent: Agent{Stop: Stop{MaxToolCalls: 2}}, status: Succeeded, reason: ReasonCompleted, text: "done", made: 2, calls: 2},
		{name: "max_tokens", turns: []play{again, again, says("so far")}, agent: Agent{Stop: Stop{MaxTokens: 30}}, status: Stopped, reason: ReasonMaxTokens, kind: KindLimit, text: "so far", made: 2, calls: 2},
		{name: "max_cost_usd", turns: []play{again, again, says("so far")}, agent: Agent{Stop: Stop{MaxCostUSD: 0.03}}, status: Stopped, reason: ReasonMaxCost, kind: KindLimit, text: "so far", made: 2, calls: 2},
		{name: "repeated_calls", turns: []play{again, again, again, says("in circles")}, agent: Agent{Stop: Stop{RepeatedCalls: 3}}, status: Stopped, reason: ReasonRepeatedCalls, kind: KindLimit, text: "in circles", made: 3, calls: 3},
		{name: "repeated_calls counts a run only", turns: []play{again, again, calls(`echo {}`), again, says("done")}, agent: Agent{Stop: Stop{RepeatedCalls: 3}}, status: Succeeded, reason: ReasonCompleted, text: "done", made: 5, calls: 4},
		{name: "on_tool", turns: []play{calls(`fail {}`), answer(providers.FinishToolCalls, append(blocks(`echo {}`), text("sent"))...)}, agent: Agent{Stop: Stop{OnTool: []string{"echo", "fail"}}}, status: Succeeded, reason: ReasonTool, text: "sent", made: 2, calls: 2},
		{name: "when, after the calls", turns: []play{again, again}, agent: Agent{Stop: Stop{When: func(s State) (bool, error) { return len(s.Calls) == 2, nil }}}, status: Succeeded, reason: ReasonCondition, made: 2, calls: 2},
		{name: "when, on the finishing turn", turns: []play{again, says("done")}, agent: Agent{Stop: Stop{When: func(s State) (bool, error) { return s.Finished && s.Text == "done", nil }}}, status: Succeeded, reason: ReasonCondition, text: "done", made: 2, calls: 1},
		{name: "when before a limit", turns: []play{again}, agent: Agent{Stop: Stop{MaxTurns: 1, When: func(s State) (bool, error) { return s.Turn == 1, nil }}}, status: Succeeded, reason: ReasonCondition, made: 1, calls: 1},
		{name: "when that breaks", turns: []play{again}, agent: Agent{Stop: Stop{When: func(State) (bool, error) { return false, errors.New("nil has no field") }}}, status: Failed, reason: ReasonError, kind: KindInternal, made: 1, calls: 1},
		{name: "denied goes on", turns: []play{calls(`secret {}`), says("pity")}, status: Succeeded, reason: ReasonCompleted, text: "pity", made: 2, calls: 1},
		{name: "denied ends", turns: []play{calls(`secret {}`, `echo {}`)}, agent: Agent{FailOnDenied: true}, status: Failed, reason: ReasonDenied, kind: KindDenied, made: 1, calls: 2},
		{name: "a tool that breaks down", turns: []play{calls(`breaks {}`, `echo {}`)}, status: Failed, reason: ReasonError, kind: KindTool, made: 1, calls: 2},
		{name: "a provider's error", turns: []play{breaks(&providers.Error{Kind: providers.KindOverloaded, Message: "busy"})}, status: Failed, reason: ReasonError, kind: KindOverloaded},
		{name: "rate limited", turns: []play{breaks(&providers.Error{Kind: providers.KindRateLimited})}, status: Failed, reason: ReasonRateLimited, kind: KindRateLimited},
		{name: "a request refused for its content", turns: []play{breaks(&providers.Error{Kind: providers.KindContentFilter})}, status: Failed, reason: ReasonContentFilter, kind: KindContentFilter},
		{name: "a provider that cancels itself", turns: []play{breaks(&providers.Error{Kind: providers.KindCancelled})}, status: Failed, reason: ReasonError, kind: KindNetwork},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l log
			a := tt.agent
			a.Model, a.Prompt, a.Tools, a.Hooks = playing(tt.turns...), "go", toolbox(t), l.hooks()
			r := a.Run(t.Context())
			if r.Status != tt.status || r.StopReason != tt.reason || r.Text != tt.text || r.Turns != tt.made || r.ToolCalls != tt.calls {
				t.Errorf("got %s, %s, text %q, %d turns, %d calls\nwant %s, %s, %q, %d, %d\nerror: %v",
					r.Status, r.StopReason, r.Text, r.Turns, r.ToolCalls, tt.status, tt.reason, tt.text, tt.made, tt.calls, r.Error)
			}
			checkError(t, r, tt.kind)
			if tt.told != "" && !strings.Contains(r.Error.Message, tt.told) {
				t.Errorf("error %q, want one with %q", r.Error.Message, tt.told)
			}
			if r.Partial != (r.Status == Stopped || r.StopReason == ReasonMaxTurns && tt.agent.Stop.AcceptLimit) {
				t.Errorf("partial is %t with status %s", r.Partial, r.Status)
			}
			checkEveryCallAnswered(t, a.Model.(*player))
		})
	}
}

func checkError(t *testing.T, r Result, kind Kind) {
	t.Helper()
	switch {
	case kind == "" && r.Error != nil:
		t.Errorf("error %v, want none", r.Error)
	case kind != "" && r.Error == nil:
		t.Errorf("no error, want kind %s", kind)
	case kind != "" && (r.Error.Kind != kind || r.Error.Message == ""):
		t.Errorf("error %q of kind %s, want kind %s", r.Error.Message, r.Error.Kind, kind)
	}
}

// checkEveryCallAnswered checks what the model was asked last: services refuse a conversation
// in which a call has no answer.
func checkEveryCallAnswered(t *testing.T, model *player) {
	t.Helper()
	if len(model.asked) == 0 {
		return
	}
	messages := model.asked[len(model.asked)-1].Messages
	for i, m := range messages {
		asked := m.Calls()
		if len(asked) == 0 {
			continue
		}
		answers := messages[i+1].Blocks
		if len(answers) != len(asked) {
			t.Errorf("message %d: %d calls, %d answers", i, len(asked), len(answers))
			return
		}
		for j := range asked {
			if answers[j].CallID != asked[j].ID || answers[j].Content == "" && asked[j].Name != "long" {
				t.Errorf("message %d, call %d: answered by %+v", i, j, answers[j])
			}
		}
	}
}

// The decision is a function of the conversation alone; it does not need a
// model.
func TestStopNextOrder(t *testing.T) {
	calling := providers.Message{Finish: providers.FinishToolCalls, Blocks: blocks(`echo {}`)}
	full := &conversation{Used: Used{Turns: 9, Usage: &providers.Usage{InputTokens: 99}, CostUSD: new(9.0)}, Streak: streak{Count: 9}}
	everything := Stop{MaxTurns: 1, MaxTokens: 1, MaxCostUSD: 1, RepeatedCalls: 1, OnTool: []string{"echo"}}
	succeeded := []Called{{Tool: "echo", Status: tools.Succeeded}}
	tests := []struct {
		name string
		stop Stop
		turn turn
		met  bool
		want decision
	}{
		{"the filter before all", everything, turn{answer: providers.Message{Finish: providers.FinishContentFilter}, calls: succeeded}, true, decision{end, ReasonContentFilter}},
		{"a tool before a condition", everything, turn{answer: calling, calls: succeeded}, true, decision{judge, ReasonTool}},
		{"a condition before a limit", everything, turn{answer: calling}, true, decision{judge, ReasonCondition}},
		{"done before a limit", everything, turn{answer: providers.Message{Finish: providers.FinishStop}}, false, decision{judge, ReasonCompleted}},
		{"calls before repetition", everything, turn{answer: calling, refused: true}, false, decision{wrapUp, ReasonMaxToolCalls}},
		{"repetition first of the limits", everything, turn{answer: calling}, false, decision{wrapUp, ReasonRepeatedCalls}},
		{"then tokens", Stop{MaxTurns: 1, MaxTokens: 1, MaxCostUSD: 1}, turn{answer: calling}, false, decision{wrapUp, ReasonMaxTokens}},
		{"then cost", Stop{MaxTurns: 1, MaxCostUSD: 1}, turn{answer: calling}, false, decision{wrapUp, ReasonMaxCost}},
		{"then turns", Stop{MaxTurns: 1}, turn{answer: calling}, false, decision{wrapUp, ReasonMaxTurns}},
		{"no bound at all", Stop{}, turn{answer: calling}, false, decision{goOn, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.stop.next(full, tt.turn, tt.met); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWrapUpHasNoToolsAndNamesTheLimit(t *testing.T) {
	model := playing(calls(`echo {}`), says("so far"))
	a := Agent{Model: model, Prompt: "go", Tools: toolbox(t), Stop: Stop{MaxTurns: 1}}
	a.Run(t.Context())
	last := model.asked[1]
	if !last.NoTools || len(last.Tools) == 0 {
		t.Errorf("NoTools is %t with %d tools shown, want true and all", last.NoTools, len(last.Tools))
	}
	if said := lastSaid(last); !strings.Contains(said, "max_turns: the limit of 1 turn") {
		t.Errorf("the model was told %q", said)
	}
}
