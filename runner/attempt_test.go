package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/google/go-cmp/cmp"
)

// The waits between attempts are doubled from the first to the longest, and the
// slot is somebody else's meanwhile.
func TestWaitsBetweenAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t)
		tr.change = func(o *Options) { o.MaxParallel = 1 }
		began := time.Now()
		var order []string
		tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
			order = append(order, fmt.Sprintf("%s after %v", req.Step, time.Since(began)))
			if req.Step == "a" {
				return providers.Message{}, &providers.Error{Kind: providers.KindOverloaded}
			}
			return says("there"), nil
		}
		r := tr.run(`
name: t
model: openai/m
steps:
  - {id: a, on_error: continue, retry: {max_attempts: 5, backoff: 2s, max_backoff: 7s}, prompt: hi}
  - {id: b, needs: [], prompt: hi}
`)
		want := []string{"a after 0s", "b after 0s", "a after 2s", "a after 6s", "a after 13s", "a after 20s"}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		if r.Steps[0].Attempts != 5 {
			t.Errorf("%d attempts", r.Steps[0].Attempts)
		}
	})
}

// denied denies every call.
type denied struct{ allowAll }

func (denied) Decide(context.Context, string, json.RawMessage) tools.Decision {
	return tools.Decision{Verdict: tools.Deny}
}

// What does not end better another time is not tried again.
func TestWhatIsNotTriedAgain(t *testing.T) {
	tests := []struct {
		name, step string
		answer     func(ctx context.Context) (providers.Message, error)
		want       steps.Kind
	}{
		{"denied", "on_denied: fail, tools: [look], prompt: hi", func(context.Context) (providers.Message, error) { return calls("look"), nil }, steps.KindDenied},
		{"out of time", "timeout: 1s, prompt: hi", func(ctx context.Context) (providers.Message, error) {
			<-ctx.Done()
			return providers.Message{}, ctx.Err()
		}, steps.KindTimeout},
		{"out of its own time", "stop: {timeout: 1s}, prompt: hi", func(ctx context.Context) (providers.Message, error) {
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
			}
			return providers.Message{}, errors.New("no answer")
		}, steps.KindTimeout},
		{"a mistake of ours", "prompt: hi", func(context.Context) (providers.Message, error) { panic("a bug") }, steps.KindInternal},
		{"a mistake in the file", "prompt: '${{ [1][env.N ?? 3] }}'", func(context.Context) (providers.Message, error) { return says("never"), nil }, steps.KindInvalidWorkflow},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := newTrial(t)
				tr.answer = func(ctx context.Context, _ providers.Request) (providers.Message, error) {
					return test.answer(ctx)
				}
				tr.change = func(o *Options) {
					o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
						return Toolbox{Guard: denied{}, Find: func(name string) []tools.Tool { return []tools.Tool{echo{name}} }}, nil
					}
				}
				r := tr.run("name: t\nmodel: openai/m\nenv: [N]\nsteps:\n  - {id: a, retry: {max_attempts: 3}, " + test.step + "}\n")
				if r.Error == nil || r.Error.Kind != test.want || r.Steps[0].Attempts > 1 {
					t.Errorf("%d attempts: %+v", r.Steps[0].Attempts, r.Error)
				}
			})
		})
	}
}

// What attempts, rounds and elements used is all counted.
func TestUsageIsOfAllGoes(t *testing.T) {
	const usage = 7
	tests := []struct {
		name, step string
		tokens     int64
	}{
		{"attempts", "retry: {max_attempts: 3, backoff: 1ms}, on_error: continue, output: {type: integer}, prompt: hi", 3 * 3 * usage},
		{"rounds", "until: round == 3, steps: [{prompt: hi}]", 3 * usage},
		{"elements", "foreach: [1, 2], prompt: hi", 2 * usage},
		{"all at once", "foreach: [1, 2], steps: [{until: round == 2, steps: [{prompt: a}, {prompt: b}]}]", 8 * usage},
	}
	for _, test := range tests {
		tr := newTrial(t)
		tr.answer = func(context.Context, providers.Request) (providers.Message, error) {
			m := says("no number")
			m.Usage = providers.Usage{InputTokens: usage}
			return m, nil
		}
		tr.change = func(o *Options) {
			o.Price = func(_ string, u providers.Usage) (float64, bool) { return float64(u.Total()), true }
		}
		r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - {id: a, " + test.step + "}\n")
		if got := r.Steps[0].Usage.Total(); got != test.tokens || *r.Steps[0].CostUSD != float64(test.tokens) {
			t.Errorf("%s: the step used %d tokens for %v, want %d", test.name, got, *r.Steps[0].CostUSD, test.tokens)
		}
		if r.Usage.Total() != test.tokens || r.Cost != (Cost{float64(test.tokens), true}) {
			t.Errorf("%s: the run used %d tokens for %+v, want %d", test.name, r.Usage.Total(), r.Cost, test.tokens)
		}
	}
}

// A group out of rounds has what the last one gave, as a part.
func TestOutOfRoundsIsPartial(t *testing.T) {
	r := newTrial(t).run("name: t\nsteps:\n  - {id: g, until: 1 > 2, max_rounds: 2, steps: [{run: 'echo ${{ round }}'}]}\n")
	g := r.Steps[0]
	if !g.Partial || g.Text != "2" || g.Rounds != 2 || g.StopReason != steps.ReasonMaxRounds || !strings.Contains(g.Error.Message, "after 2 rounds") {
		t.Errorf("partial %v, %q, %d rounds, %s: %+v", g.Partial, g.Text, g.Rounds, g.StopReason, g.Error)
	}
}

// So are outputs that were cut.
func TestTruncatedIsOfAllSteps(t *testing.T) {
	r := newTrial(t).run(`
name: t
truncate: {lines: 1}
steps:
  - {id: g, foreach: [1, 2], steps: [{run: 'seq 3'}, {run: 'seq 3; seq 3 >&2'}, {run: 'echo'}]}
`)
	if got := r.Steps[0].Truncated; got != 6 {
		t.Errorf("%d outputs were cut, want 3 of each element", got)
	}
}
