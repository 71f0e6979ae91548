package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
)

func TestUsageAndCostAreSummed(t *testing.T) {
	known := func(_ string, u providers.Usage) (float64, bool) { return float64(u.Total()), true }
	unknown := func(string, providers.Usage) (float64, bool) { return 0, false }
	turns := []play{says("no"), calls(`echo {}`), says("so far")} // a repair, a call, a wrap-up
	tests := []struct {
		name     string
		price    func(string, providers.Usage) (float64, bool)
		cost     any
		unpriced []string
	}{
		{"known", known, 45.0, nil},
		{"unknown", unknown, nil, []string{"fake/one"}},
		{"nobody to ask", nil, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := Agent{
				Model: playing(turns...), Prompt: "go", Tools: toolbox(t), Output: Output{Kind: OutputJSON},
				Stop: Stop{MaxTurns: 2}, Hooks: Hooks{Price: tt.price},
			}
			r := a.Run(t.Context())
			want := providers.Usage{InputTokens: 30, OutputTokens: 15}
			if *r.Usage != want || r.Turns != 2 {
				t.Errorf("usage %+v in %d turns, want %+v in 2", *r.Usage, r.Turns, want)
			}
			var cost any
			if r.CostUSD != nil {
				cost = *r.CostUSD
			}
			if cost != tt.cost {
				t.Errorf("cost %v, want %v", cost, tt.cost)
			}
			if diff := cmp.Diff(tt.unpriced, r.Unpriced); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A ledger reserves and settles, and refuses the request with this number.
type ledger struct {
	refuse    int
	err       error
	most      int64
	estimates []Estimate
	settled   [][]Spent
}

func (l *ledger) reserve(_ context.Context, e Estimate) (Grant, error) {
	l.estimates = append(l.estimates, e)
	if len(l.estimates) == l.refuse {
		return Grant{}, l.err
	}
	return Grant{OutputTokens: l.most, Settle: func(used []Spent) { l.settled = append(l.settled, used) }}, nil
}

func TestReserve(t *testing.T) {
	budget := &Error{Kind: KindBudget, Message: "the budget is used up", Hint: "raise it"}
	texted := answer(providers.FinishToolCalls, append(blocks(`echo {}`), providers.Block{Type: providers.BlockText, Text: "so far"})...)
	tests := []struct {
		name   string
		refuse int
		err    error
		stop   Stop
		status Status
		reason Reason
		kind   Kind
		text   string
	}{
		{"granted", 0, nil, Stop{}, Succeeded, ReasonCompleted, "", "done"},
		{"refused at first", 1, budget, Stop{}, Stopped, ReasonBudget, KindBudget, ""},
		{"refused later", 2, budget, Stop{}, Stopped, ReasonBudget, KindBudget, "so far"},
		{"refused for the wrap-up", 2, budget, Stop{MaxTurns: 1}, Stopped, ReasonMaxTurns, KindLimit, "so far"},
		{"refused for another reason", 1, &Error{Kind: KindConfiguration, Message: "no price"}, Stop{}, Failed, ReasonError, KindConfiguration, ""},
		{"broken", 1, errors.New("no"), Stop{}, Failed, ReasonError, KindInternal, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := ledger{refuse: tt.refuse, err: tt.err}
			a := Agent{
				Model: playing(texted, says("done")), Prompt: "go", Tools: toolbox(t), Stop: tt.stop,
				Hooks: Hooks{Reserve: l.reserve},
			}
			r := a.Run(t.Context())
			if r.Status != tt.status || r.StopReason != tt.reason || r.Text != tt.text {
				t.Errorf("%s, %s, %q; want %s, %s, %q", r.Status, r.StopReason, r.Text, tt.status, tt.reason, tt.text)
			}
			checkError(t, r, tt.kind)
			granted := len(l.estimates)
			if tt.refuse > 0 {
				granted--
			}
			if len(l.settled) != granted {
				t.Errorf("%d reservations, %d settled", granted, len(l.settled))
			}
		})
	}
}

// A request that a budget holds up for longer than a second says so.
func TestABudgetThatHoldsUpIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits, told := []time.Duration{500 * time.Millisecond, 3 * time.Second}, []string{}
		(&Agent{
			Model: playing(answer(providers.FinishToolCalls, blocks(`echo {}`)...), says("done")), Prompt: "go", Tools: toolbox(t),
			Hooks: Hooks{
				Reserve: func(context.Context, Estimate) (Grant, error) {
					time.Sleep(waits[0])
					waits = waits[1:]
					return Grant{Settle: func([]Spent) {}}, nil
				},
				Observe: func(e Event) {
					if e.Type == Held || e.Type == Released {
						told = append(told, fmt.Sprint(e.Type, e.Turn, e.HeldBy))
					}
				},
			},
		}).Run(t.Context())
		if diff := cmp.Diff([]string{"held2budget", "released2"}, told); diff != "" {
			t.Error(diff)
		}
	})
}

// A request that breaks is settled, too.
func TestReserveIsSettledAfterAnError(t *testing.T) {
	var l ledger
	a := Agent{Model: playing(breaks(errors.New("no"))), Prompt: "go", Hooks: Hooks{Reserve: l.reserve}}
	a.Run(t.Context())
	if diff := cmp.Diff([][]Spent{nil}, l.settled); diff != "" {
		t.Error(diff)
	}
}

func TestEstimate(t *testing.T) {
	var l ledger
	a := Agent{
		Model: playing(calls(`echo {}`), says("done")), Prompt: strings.Repeat("x", 3000), Tools: toolbox(t),
		Params: providers.Params{MaxOutputTokens: 77}, Hooks: Hooks{Reserve: l.reserve},
	}
	a.Run(t.Context())
	first, second := l.estimates[0], l.estimates[1]
	if first.Model != "fake/one" || first.OutputTokens != 77 || first.InputTokens < 1000 || first.InputTokens > 1200 {
		t.Errorf("first estimate %+v", first)
	}
	if second.InputTokens < 15 || second.InputTokens > 30 { // the model counted 15, and two bytes came
		t.Errorf("second estimate %+v", second)
	}
	for _, c := range []struct {
		most          int
		output, least int64
	}{{0, likelyOutput, 1}, {77, 77, 38}, {2 * usefulOutput, 2 * usefulOutput, usefulOutput}, {9000, 9000, usefulOutput}} {
		a.Params.MaxOutputTokens = c.most
		a.Model = playing(says("done"))
		a.Run(t.Context())
		if got := l.estimates[len(l.estimates)-1]; got.OutputTokens != c.output || got.LeastOutput != c.least {
			t.Errorf("of at most %d tokens %d are expected, and %d of use; want %d, %d", c.most, got.OutputTokens, got.LeastOutput, c.output, c.least)
		}
	}
}

// What is left of a budget bounds the answer; one that is cut off there ends the step.
func TestAnswersAreKeptWithinWhatIsLeft(t *testing.T) {
	cut := answer(providers.FinishLength, providers.Block{Type: providers.BlockText, Text: "so fa"})
	aCent := func(_ string, u providers.Usage) (float64, bool) { return float64(u.Total()) / 100, true }
	tests := []struct {
		name   string
		grant  int64 // by the budget
		stop   Stop
		asked  int // max_output_tokens of the step
		bound  int // of the first request
		reason Reason
	}{
		{"nothing is limited", 0, Stop{}, 0, 0, ReasonOutputLimit},
		{"the step's own parameter", 9000, Stop{}, 500, 500, ReasonOutputLimit},
		{"there is more left than any answer needs", 9000, Stop{MaxTokens: 100_000}, 0, 0, ReasonOutputLimit},
		{"budget", 300, Stop{}, 0, 300, ReasonBudget},
		{"budget, and a longer one was asked for", 300, Stop{}, 500, 300, ReasonBudget},
		{"a step's own limit bounds no answer", 9000, Stop{MaxTokens: 401}, 0, 0, ReasonOutputLimit},
		{"as much is left as was asked for", 500, Stop{}, 500, 500, ReasonOutputLimit},
		{"never less than services take, of a budget", 5, Stop{}, 0, leastOutput, ReasonBudget},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := ledger{most: tt.grant}
			model := playing(cut, says("the end"))
			a := Agent{
				Model: model, Prompt: "go", Stop: tt.stop, Params: providers.Params{MaxOutputTokens: tt.asked},
				Hooks: Hooks{Reserve: l.reserve, Price: aCent},
			}
			r := a.Run(t.Context())
			if got := model.asked[0].Params.MaxOutputTokens; got != tt.bound {
				t.Errorf("at most %d tokens were asked for, want %d", got, tt.bound)
			}
			if r.Status != Stopped || r.StopReason != tt.reason || !r.Partial {
				t.Errorf("%s, %s; want stopped, %s", r.Status, r.StopReason, tt.reason)
			}
			if a.Params.MaxOutputTokens != tt.asked {
				t.Error("the agent was changed")
			}
		})
	}
}

// A budget that continues leaves an agent that has taken a turn a last one, which counts as no success, also
// when the conversation is gone on with from any of its facts.
func TestABudgetThatContinuesLeavesALastTurn(t *testing.T) {
	usedUp := &Error{Kind: KindBudget, Message: "used up", BudgetOf: "fan", Continues: true}
	for refused, want := range map[int]struct {
		text string
		last int // which request is the last turn's; 0: there is none
	}{1: {"", 0}, 2: {"as far as it came", 2}} {
		var facts []Fact
		run := func(past []Fact) (Result, int) {
			model := playing(calls(`echo {}`), says("as far as it came"))
			if slices.ContainsFunc(past, func(f Fact) bool { return f.Answer != nil }) {
				model = playing(says("as far as it came"))
			}
			asked := 0
			a := Agent{Model: model, Prompt: "go", Tools: toolbox(t), Stop: Stop{AcceptLimit: true}, Hooks: Hooks{
				Remember: func(f Fact) { facts = append(facts, f) },
				Reserve: func(_ context.Context, e Estimate) (Grant, error) {
					if asked++; !e.Last && (asked == refused || len(past) > 0) {
						return Grant{}, usedUp
					}
					return Grant{Settle: func([]Spent) {}}, nil
				},
			}}
			r := a.From(t.Context(), Past{Facts: past})
			return r, len(model.asked)
		}
		r, asked := run(nil)
		if r.Status != Stopped || r.StopReason != ReasonBudget || r.Error != usedUp || r.Text != want.text || asked != want.last {
			t.Errorf("refused request %d: %s, %s, %v, %q after %d requests", refused, r.Status, r.StopReason, r.Error, r.Text, asked)
		}
		all := facts
		for n, f := range all {
			if n == 0 || f.Answer == nil && refused == 2 && n < 3 {
				continue // the call, or the first request, is made again
			}
			if again, _ := run(slices.Clone(all[:n+1])); again.Status != r.Status || again.StopReason != r.StopReason || again.Error.Message != r.Error.Message || again.Text != r.Text {
				t.Errorf("refused request %d, gone on with after fact %d: %+v", refused, n, again)
			}
		}
	}
}

// At its own limit a step has nothing left to give the last turn, which is not bounded by it.
func TestLastTurnIsNotBounded(t *testing.T) {
	model := playing(calls(`echo {}`), says("the end"))
	r := (&Agent{Model: model, Prompt: "go", Tools: toolbox(t), Stop: Stop{MaxTokens: 15}}).Run(t.Context())
	if last := model.asked[1].Params.MaxOutputTokens; last != 0 || r.StopReason != ReasonMaxTokens || r.Text != "the end" {
		t.Errorf("the last turn was asked for at most %d tokens; %s, %q", last, r.StopReason, r.Text)
	}
}

// Nobody was asked for a cached answer: it costs nothing, whatever its model costs.
func TestCachedAnswersCostNothing(t *testing.T) {
	model := playing(func(context.Context, providers.Request) (providers.Message, error) {
		text := providers.Block{Type: providers.BlockText, Text: "done"}
		return providers.Message{Blocks: []providers.Block{text}, Finish: providers.FinishStop, Saved: &providers.Usage{InputTokens: 10}}, nil
	})
	var l ledger
	r := (&Agent{Model: model, Prompt: "go", Hooks: Hooks{
		Reserve: l.reserve, Price: func(string, providers.Usage) (float64, bool) { return 0, false },
	}}).Run(t.Context())
	if r.CostUSD == nil || *r.CostUSD != 0 || len(r.Unpriced) > 0 || r.Cached != 1 {
		t.Errorf("cost %v, without a price %q, %d cached answers", r.CostUSD, r.Unpriced, r.Cached)
	}
	if diff := cmp.Diff([][]Spent{nil}, l.settled); diff != "" {
		t.Error(diff)
	}
}

// TestBrokenAnswersArePaidFor has answers that break off and are asked for again,
// of the same model and of another: what they used is counted with the rest.
func TestBrokenAnswersArePaidFor(t *testing.T) {
	breaking := func(tokens int64, retryable bool) play {
		return func(context.Context, providers.Request) (providers.Message, error) {
			return providers.Message{Usage: providers.Usage{InputTokens: tokens}},
				&providers.Error{Kind: providers.KindOverloaded, Message: "busy", Retryable: retryable, RetryAfter: time.Millisecond}
		}
	}
	two := playing(func(context.Context, providers.Request) (providers.Message, error) {
		text := providers.Block{Type: providers.BlockText, Text: "done"}
		return providers.Message{Blocks: []providers.Block{text}, Finish: providers.FinishStop, Usage: providers.Usage{InputTokens: 30}}, nil
	})
	two.info.Ref = "fake/two"
	var l ledger
	var told []Spent
	r := (&Agent{
		Model:  providers.Fallback([]providers.Model{providers.Retry(playing(breaking(10, true), breaking(20, false))), two}),
		Prompt: "go",
		Hooks: Hooks{
			Reserve: l.reserve,
			Price:   func(_ string, u providers.Usage) (float64, bool) { return float64(u.InputTokens), true },
			Observe: func(e Event) {
				if e.Usage != nil {
					told = append(told, Spent{e.Model, *e.Usage, e.Cost})
				}
			},
		},
	}).Run(t.Context())
	paid := []providers.Usage{{InputTokens: 10}, {InputTokens: 20}, {InputTokens: 30}}
	want := []Spent{{"fake/one", paid[0], new(10.0)}, {"fake/one", paid[1], new(20.0)}, {"fake/two", paid[2], new(30.0)}}
	if diff := cmp.Diff([][]Spent{want}, l.settled); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	if sum := paid[0].Add(paid[1]).Add(paid[2]); r.Usage == nil || *r.Usage != sum || r.CostUSD == nil || *r.CostUSD != float64(sum.InputTokens) {
		t.Errorf("used %+v for %v, want %+v", r.Usage, r.CostUSD, sum)
	}
}
