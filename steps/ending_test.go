package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// stalls is a turn that says something and then waits for its context.
func stalls(text string) play {
	return func(ctx context.Context, _ providers.Request) (providers.Message, error) {
		<-ctx.Done()
		return providers.Message{
			Blocks: []providers.Block{{Type: providers.BlockText, Text: text}},
			Usage:  providers.Usage{InputTokens: 3, OutputTokens: 1},
		}, &providers.Error{Kind: providers.KindCancelled, Err: ctx.Err()}
	}
}

// The cause of a context that ended decides how the step ended.
func TestContextEnds(t *testing.T) {
	tests := []struct {
		name   string
		cause  error
		status Status
		reason Reason
		kind   Kind
	}{
		{"deadline", context.DeadlineExceeded, Stopped, ReasonTimeout, KindTimeout},
		{"timeout with words", &Error{Kind: KindTimeout, Message: "timeout after 2s"}, Stopped, ReasonTimeout, KindTimeout},
		{"wrapped timeout", fmt.Errorf("step: %w", &Error{Kind: KindTimeout, Message: "timeout after 2s"}), Stopped, ReasonTimeout, KindTimeout},
		{"budget", &Error{Kind: KindBudget, Message: "10m are over"}, Stopped, ReasonBudget, KindBudget},
		{"interrupt", context.Canceled, Cancelled, ReasonCancelled, KindCancelled},
		{"another step failed", &Error{Kind: KindCommand, Message: "step build failed"}, Cancelled, ReasonCancelled, KindCancelled},
		{"anything else", errors.New("no"), Cancelled, ReasonCancelled, KindCancelled},
	}
	wait := tool{name: "wait", run: func(ctx context.Context, _ json.RawMessage, _ *tools.Output) (tools.Result, error) {
		<-ctx.Done()
		return tools.Result{}, ctx.Err()
	}}
	check := Check{Name: "slow", Run: func(ctx context.Context, _ any, _ string) (Judgement, error) {
		<-ctx.Done()
		return Judgement{}, ctx.Err()
	}}
	called := map[string]Agent{
		"in an answer": {Model: playing(stalls("so far"))},
		"in a call":    {Model: playing(answer(providers.FinishToolCalls, append(blocks(`wait {}`), providers.Block{Type: providers.BlockText, Text: "so far"})...))},
		"in a check":   {Model: playing(says("so far")), Checks: []Check{check}},
		"in a wrap-up": {Model: playing(calls(`echo {}`), stalls("so far")), Stop: Stop{MaxTurns: 1}},
		"in a closing": {Model: playing(calls(`echo {}`), stalls("so far")), Stop: Stop{OnTool: []string{"echo"}}, Output: schema(t, scoreSchema)},
		"in accepting": {Model: playing(calls(`echo {}`), says("so far")), Stop: Stop{MaxTurns: 1, AcceptLimit: true}, Checks: []Check{check}},
		"in a reserve": {Hooks: Hooks{Reserve: func(ctx context.Context, _ Estimate) (Grant, error) {
			<-ctx.Done()
			return Grant{}, context.Cause(ctx)
		}}},
		"before it all": {Model: playing(stalls("so far"))},
	}
	for where, agent := range called {
		for _, tt := range tests {
			t.Run(where+"/"+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					time.AfterFunc(2*time.Second, func() { cancel(tt.cause) })
					a := agent
					if p, ok := a.Model.(*player); ok {
						a.Model = playing(p.turns...)
					} else {
						a.Model = playing()
					}
					a.Prompt, a.Tools = "go", toolbox(t, wait)
					if where == "before it all" {
						cancel(tt.cause)
					}
					r := a.Run(ctx)
					if r.Status != tt.status || r.StopReason != tt.reason {
						t.Errorf("%s, %s; want %s, %s: %v", r.Status, r.StopReason, tt.status, tt.reason, r.Error)
					}
					checkError(t, r, tt.kind)
					brokeOff := slices.Contains([]string{"in an answer", "in a wrap-up", "in a closing", "before it all"}, where)
					if r.Partial != (r.Status == Stopped || brokeOff) {
						t.Errorf("partial is %t", r.Partial)
					}
					if where != "in a reserve" && r.Text != "so far" {
						t.Errorf("text %q, want what there was", r.Text)
					}
				})
			})
		}
	}
}

// What an answer that broke off has used is paid for, and recorded, but is no
// part of the conversation.
func TestBrokenAnswerIsPaidFor(t *testing.T) {
	var l log
	ctx, cancel := context.WithCancel(t.Context())
	hooks := l.hooks()
	hooks.Observe = func(e Event) {
		if e.Type == TurnStarted {
			cancel()
		}
	}
	a := Agent{Model: playing(stalls("so")), Prompt: "go", Hooks: hooks}
	r := a.Run(ctx)
	if r.Usage.InputTokens != 3 || r.CostUSD == nil || r.Turns != 0 {
		t.Errorf("usage %+v, cost %v, %d turns", r.Usage, r.CostUSD, r.Turns)
	}
	if r.Text != "so" {
		t.Errorf("text %q", r.Text)
	}
}
