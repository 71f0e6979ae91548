package runner

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
)

// What a step says about its limits reaches its conversation: each of them ends it, and with
// on_limit: accept what it had until then counts.
func TestLimitsOfAStep(t *testing.T) {
	for _, tt := range []struct {
		stop   string
		reason steps.Reason
	}{
		{"max_turns: 3", steps.ReasonMaxTurns},
		{"max_tool_calls: 3", steps.ReasonMaxToolCalls},
		{"max_tokens: 35", steps.ReasonMaxTokens},
		{"max_cost_usd: 35", steps.ReasonMaxCost},
	} {
		for accept, want := range map[string]steps.Status{"": steps.Stopped, ", on_limit: accept": steps.Succeeded} {
			tr := newTrial(t)
			tr.change = func(o *Options) {
				o.Price = func(_ string, u providers.Usage) (float64, bool) { return float64(u.Total()), true }
			}
			asked := 0
			tr.answer = func(_ context.Context, req providers.Request) (m providers.Message, err error) {
				if asked++; strings.HasPrefix(req.Messages[len(req.Messages)-1].Text(), "Stop here") {
					m = says("as far as I came")
				} else {
					m = calls("look")
					m.Blocks[0].Arguments = fmt.Appendf(nil, `{"n": %d}`, asked)
				}
				m.Usage = providers.Usage{InputTokens: 5, OutputTokens: 5}
				return m, nil
			}
			r := tr.run("name: t\nmodel: fake/one\nsteps: [{id: a, prompt: hi, tools: [look], stop: {" + tt.stop + accept + "}}]\n")
			if s := r.Steps[0]; s.Status != want || s.StopReason != tt.reason || asked > 5 {
				t.Errorf("%s%s: %s (%s) after %d requests", tt.stop, accept, s.Status, s.StopReason, asked)
			}
		}
	}
}
