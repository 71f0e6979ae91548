package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/google/go-cmp/cmp"
)

// A counter is a model that makes five calls, one a turn, and is done then. It answers by what
// stands in the conversation.
type counter struct {
	asked []int // how many answers stood in each request but those at a limit
}

func (c *counter) Info() providers.Info { return playing().info }

func (c *counter) Stream(ctx context.Context, req providers.Request, _ func(providers.Event)) (providers.Message, error) {
	if strings.HasPrefix(lastSaid(req), "Stop here") {
		return says("so far")(ctx, req)
	}
	n := 0
	for _, m := range req.Messages {
		if m.Role == providers.RoleAssistant {
			n++
		}
	}
	c.asked = append(c.asked, n)
	if n == 5 {
		return says("done")(ctx, req)
	}
	return calls(fmt.Sprintf(`count {"n":%d}`, n))(ctx, req)
}

// A step that was stopped at a limit continues its conversation: nothing that was answered is asked
// again, no call is made again, what it was asked for at the limit is not part of the conversation,
// and it gets as much again. A raised limit counts from the beginning of what it got.
func TestStoppedAtALimitGoesOn(t *testing.T) {
	for _, tt := range []struct {
		name        string
		stop, then  Stop
		sittings    int
		lastAnswers int
	}{
		{"turns", Stop{MaxTurns: 2}, Stop{MaxTurns: 2}, 3, 2},
		{"raised turns", Stop{MaxTurns: 2}, Stop{MaxTurns: 9}, 2, 1},
		{"no limit any more", Stop{MaxTurns: 2}, Stop{}, 2, 1},
		{"calls", Stop{MaxToolCalls: 1}, Stop{MaxToolCalls: 9}, 2, 1},
		{"tokens", Stop{MaxTokens: 30}, Stop{MaxTokens: 30}, 3, 2},
		{"a result at the limit that a check refuses", Stop{MaxTurns: 2, AcceptLimit: true}, Stop{MaxTurns: 9, AcceptLimit: true}, 2, 1},
		{"cost", Stop{MaxCostUSD: 0.03}, Stop{MaxCostUSD: 0.03}, 3, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			made := []string{}
			count := tool{name: "count", run: func(_ context.Context, a json.RawMessage, _ *tools.Output) (tools.Result, error) {
				made = append(made, string(a))
				return tools.Result{}, nil
			}}
			var h history
			var past Past
			var r Result
			model, sittings := &counter{}, 0
			for stop := tt.stop; r.Status != Succeeded && sittings < 9; stop = tt.then {
				sittings++
				a := &Agent{Model: model, Prompt: "count", Tools: toolbox(t, count), Stop: stop}
				a.Checks = []Check{{Name: "done", Run: func(_ context.Context, _ any, text string) (Judgement, error) {
					return Judgement{Good: text == "done", Problem: "it is not"}, nil
				}}}
				a.Hooks.Remember, a.Hooks.Price = h.remember, (&log{}).hooks().Price
				before := len(h.lines)
				r = a.From(t.Context(), past)
				past.Facts = append(past.Facts, h.first(t, len(h.lines)).Facts[before:]...)
				past.Facts = append(past.Facts, Fact{Ended: true})
			}
			if r.Status != Succeeded || r.Text != "done" || sittings != tt.sittings {
				t.Fatalf("after %d sittings: %s %q, %v", sittings, r.Status, r.Text, r.Error)
			}
			want := []string{`{"n":0}`, `{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`}
			if diff := cmp.Diff(want, made); diff != "" && tt.name != "calls" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5}, model.asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if used := int64(15 * (6 + tt.lastAnswers)); r.Usage.Total() != used || r.Turns != 6 {
				t.Errorf("%d tokens in %d turns, want %d: those at the limits were paid for", r.Usage.Total(), r.Turns, used)
			}
		})
	}
}
