package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc/iter"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// 64 agents side by side, ten turns each and three calls a turn: each gets its
// own results, in its own order. The bubble ends only when no goroutine is
// left.
func TestManyAgentsAtOnce(t *testing.T) {
	const agents, turns, callsEach = 64, 10, 3
	synctest.Test(t, func(t *testing.T) {
		nap := tool{name: "nap", run: func(_ context.Context, a json.RawMessage, out *tools.Output) (tools.Result, error) {
			time.Sleep(time.Duration(len(a)) * time.Millisecond)
			_, err := out.Write(a)
			return tools.Result{}, err
		}}
		numbers := make([]int, agents)
		for i := range numbers {
			numbers[i] = i
		}
		results := iter.Mapper[int, Result]{MaxGoroutines: agents}.Map(numbers, func(i *int) Result {
			var script []play
			for turn := range turns - 1 {
				script = append(script, checked(t, *i, turn), callsOf(*i, turn, callsEach))
			}
			model := &pairs{player: playing(), turns: script, last: says(fmt.Sprintf("agent %d", *i))}
			return (&Agent{Model: model, Prompt: "go", Tools: toolbox(t, nap)}).Run(t.Context())
		})
		for i, r := range results {
			if r.Status != Succeeded || r.Text != fmt.Sprintf("agent %d", i) || r.Turns != turns || r.ToolCalls != (turns-1)*callsEach {
				t.Errorf("agent %d: %s, %q, %d turns, %d calls: %v", i, r.Status, r.Text, r.Turns, r.ToolCalls, r.Error)
			}
		}
	})
}

// pairs plays a look at the request and an answer for each turn.
type pairs struct {
	*player
	turns []play
	last  play
}

func (p *pairs) Stream(ctx context.Context, req providers.Request, _ func(providers.Event)) (providers.Message, error) {
	if len(p.turns) == 0 {
		return p.last(ctx, req)
	}
	look, speak := p.turns[0], p.turns[1]
	p.turns = p.turns[2:]
	if m, err := look(ctx, req); err != nil {
		return m, err
	}
	return speak(ctx, req)
}

func callsOf(agent, turn, n int) play {
	var written []string
	for call := range n {
		written = append(written, fmt.Sprintf(`nap {"agent":%d,"turn":%d,"call":%d}`, agent, turn, call))
	}
	return calls(written...)
}

// checked looks whether the answers of the turn before are its own, in order.
func checked(t *testing.T, agent, turn int) play {
	return func(_ context.Context, req providers.Request) (providers.Message, error) {
		if turn == 0 {
			return providers.Message{}, nil
		}
		for call, b := range req.Messages[len(req.Messages)-1].Blocks {
			want := fmt.Sprintf(`{"agent":%d,"turn":%d,"call":%d}`, agent, turn-1, call)
			got := map[string]int{}
			if err := json.Unmarshal([]byte(b.Content), &got); err != nil || fmt.Sprintf(`{"agent":%d,"turn":%d,"call":%d}`, got["agent"], got["turn"], got["call"]) != want {
				t.Errorf("got %s, want %s", b.Content, want)
			}
		}
		return providers.Message{}, nil
	}
}

func BenchmarkTurn(b *testing.B) {
	set := toolbox(b)
	a := Agent{Model: playing(), Prompt: "go", Tools: set}
	turn := calls(`echo {"a":1}`, `echo {"b":2}`, `echo {"c":3}`)
	b.ReportAllocs()
	for b.Loop() {
		a.Model = playing(turn)
		d := a.open(Past{})
		if e := d.turn(context.Background()); e != nil {
			b.Fatal(e.Error)
		}
	}
}
