package steps

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// When a step's own time is over, what runs is cancelled, and the model has one
// last turn with the time that is left outside.
func TestStopTimeout(t *testing.T) {
	nap := sleeper("nap", tools.Effects{})
	slow := Check{Name: "slow", Run: func(ctx context.Context, _ any, _ string) (Judgement, error) {
		<-ctx.Done()
		return Judgement{}, ctx.Err()
	}}
	last := answerAfter(time.Minute, "so far")
	tests := []struct {
		name  string
		agent Agent
		turns []play
		text  string
		took  time.Duration
		calls int
		made  int
	}{
		{name: "in an answer", turns: []play{stalls("half a word"), last}, text: "so far", took: 3 * time.Minute},
		{name: "in a call", turns: []play{calls(`nap {"Seconds":3600}`, `echo {}`), last}, text: "so far", took: 3 * time.Minute, calls: 2, made: 1},
		{name: "in a check", agent: Agent{Checks: []Check{slow}}, turns: []play{says("done"), last}, text: "so far", took: 3 * time.Minute, made: 1},
		{name: "in a closing", agent: Agent{Stop: Stop{OnTool: []string{"echo"}}, Output: schema(t, scoreSchema)}, turns: []play{calls(`echo {}`), stalls(""), answerAfter(time.Minute, `{"score":1}`)}, text: `{"score":1}`, took: 3 * time.Minute, calls: 1, made: 1},
		{name: "not for another limit's last turn", agent: Agent{Stop: Stop{MaxTurns: 1}}, turns: []play{calls(`echo {}`), answerAfter(time.Hour, "so far")}, text: "so far", took: time.Hour, calls: 1, made: 1},
		{name: "a last turn that fails", turns: []play{stalls("half a word"), breaks(&providers.Error{Kind: providers.KindOverloaded, Message: "busy"})}, text: "half a word", took: 2 * time.Minute},
		{name: "a last turn of nothing", turns: []play{stalls("half a word"), answer(providers.FinishStop)}, text: "half a word", took: 2 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l log
				a := tt.agent
				a.Model, a.Prompt, a.Tools, a.Hooks = playing(tt.turns...), "go", toolbox(t, nap), l.hooks()
				a.Stop.Timeout = 2 * time.Minute
				start := time.Now()
				r := a.Run(t.Context())
				reason, kind := ReasonTimeout, KindTimeout
				if a.Stop.MaxTurns > 0 {
					reason, kind = ReasonMaxTurns, KindLimit
				}
				if r.Status != Stopped || r.StopReason != reason || !r.Partial || r.Text != tt.text || r.ToolCalls != tt.calls || r.Turns != tt.made {
					t.Errorf("%s, %s, partial %t, %q, %d calls, %d turns", r.Status, r.StopReason, r.Partial, r.Text, r.ToolCalls, r.Turns)
				}
				checkError(t, r, kind)
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				checkEveryCallAnswered(t, a.Model.(*player))
			})
		})
	}
}

func TestAcceptedTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := Agent{Model: playing(stalls("half a word"), says("so far")), Prompt: "go", Stop: Stop{Timeout: time.Minute, AcceptLimit: true}}
		if r := a.Run(t.Context()); r.Status != Succeeded || r.StopReason != ReasonTimeout || r.Text != "so far" || r.Error != nil {
			t.Errorf("%s, %s, %q, %v", r.Status, r.StopReason, r.Text, r.Error)
		}
	})
}

// answerAfter is a turn that takes its time, unless its context ends.
func answerAfter(d time.Duration, text string) play {
	return func(ctx context.Context, req providers.Request) (providers.Message, error) {
		select {
		case <-time.After(d):
			return says(text)(ctx, req)
		case <-ctx.Done():
			return providers.Message{}, providers.Cancelled(ctx, "fake/one")
		}
	}
}

// What was cancelled is answered in the conversation, and the last turn can
// call nothing.
func TestStopTimeoutLeavesAWholeConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := playing(calls(`nap {"Seconds":3600}`), says("so far"))
		a := Agent{Model: model, Prompt: "go", Tools: toolbox(t, sleeper("nap", tools.Effects{})), Stop: Stop{Timeout: time.Minute}}
		a.Run(t.Context())
		req := model.asked[1]
		if said := lastSaid(req); !req.NoTools || !strings.Contains(said, "stop.timeout: timed out after 1m0s") {
			t.Errorf("NoTools is %t, the model was told %q", req.NoTools, said)
		}
		answers := req.Messages[len(req.Messages)-2]
		if len(answers.Blocks) != 1 || !answers.Blocks[0].Error || !strings.HasPrefix(answers.Blocks[0].Content, "Cancelled: stop.timeout") {
			t.Errorf("the call was answered by %+v", answers.Blocks)
		}
	})
}

// The step's own time, around it all, ends the last turn too.
func TestStepTimeoutEndsTheLastTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 3*time.Minute, &Error{Kind: KindTimeout, Message: "timeout after 3m"})
		defer cancel()
		a := Agent{Model: playing(stalls("one"), stalls("two")), Prompt: "go", Stop: Stop{Timeout: 2 * time.Minute}}
		start := time.Now()
		r := a.Run(ctx)
		if r.Status != Stopped || r.StopReason != ReasonTimeout || r.Text != "two" || r.Error.Message != "timeout after 3m" {
			t.Errorf("%s, %s, %q: %v", r.Status, r.StopReason, r.Text, r.Error)
		}
		if took := time.Since(start); took != 3*time.Minute {
			t.Errorf("took %v", took)
		}
	})
}

// A text that broke off is kept, and told to be a part.
func TestBrokenTextIsPartial(t *testing.T) {
	broken := func(context.Context, providers.Request) (providers.Message, error) {
		return providers.Message{Blocks: []providers.Block{{Type: providers.BlockText, Text: "Once upon"}}},
			&providers.Error{Kind: providers.KindNetwork, Message: "the response stream was cut off"}
	}
	a := Agent{Model: playing(broken), Prompt: "go"}
	if r := a.Run(t.Context()); r.Status != Failed || r.Text != "Once upon" || !r.Partial {
		t.Errorf("%s, %q, partial %t", r.Status, r.Text, r.Partial)
	}
	a.Model = playing(says("whole"), breaks(errors.New("no")))
	a.Checks, a.MaxFixes = []Check{passes(2)}, 1
	if r := a.Run(t.Context()); r.Status != Failed || r.Text != "whole" || r.Partial {
		t.Errorf("%s, %q, partial %t", r.Status, r.Text, r.Partial)
	}
}

// However many calls an answer has, a bounded number is run, and all of them
// are answered, in bounded time.
func TestTooManyCallsInOneTurn(t *testing.T) {
	const made = 20_000
	many := make([]string, made)
	for i := range many {
		many[i] = "count {}"
	}
	var ran int
	count := tool{name: "count", effects: tools.Everything(), run: func(_ context.Context, _ json.RawMessage, out *tools.Output) (tools.Result, error) {
		ran++ // each touches everything: one after the other
		_, err := out.Write([]byte("counted"))
		return tools.Result{}, err
	}}
	model := playing(calls(many...), says("done"))
	a := Agent{Model: model, Prompt: "go", Tools: toolbox(t, count)}
	r := a.Run(t.Context())
	if r.Status != Succeeded || ran != 128 {
		t.Errorf("%s, %d calls were run, want 128: %v", r.Status, ran, r.Error)
	}
	answers := model.asked[1].Messages[2].Blocks
	if len(answers) != made || answers[127].Error || !answers[128].Error || !strings.Contains(answers[made-1].Content, "too many calls in one turn") {
		t.Errorf("%d answers, the last is %+v", len(answers), answers[len(answers)-1])
	}
}
