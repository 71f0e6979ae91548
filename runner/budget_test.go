package runner

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/sourcegraph/conc"
)

// cents costs a cent a token.
func cents(_ string, u providers.Usage) (float64, bool) { return float64(u.Total()) / 100, true }

func TestBudgetIsNotOvershotTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := spenderOf(t, limits(1000, 0))
		var spent, most, inFlight, refused atomic.Int64
		var group conc.WaitGroup
		for range 50 {
			group.Go(func() {
				grant, err := b.reserve(t.Context(), steps.Estimate{InputTokens: 60, OutputTokens: 40})
				if err != nil {
					refused.Add(1)
					return
				}
				if n := inFlight.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(time.Second)
				inFlight.Add(-1)
				spent.Add(100)
				grant.Settle([]steps.Spent{{Model: "m", Usage: providers.Usage{InputTokens: 60, OutputTokens: 40}}})
			})
		}
		group.Wait()
		if spent.Load() > 1000 {
			t.Errorf("%d tokens were spent of 1000", spent.Load())
		}
		if spent.Load() < 900 || refused.Load() == 0 {
			t.Errorf("spent %d, refused %d: the budget was not used", spent.Load(), refused.Load())
		}
		if most.Load() < 2 {
			t.Errorf("at most %d ran at a time: what fits should run side by side", most.Load())
		}
	})
}

func TestBudgetKinds(t *testing.T) {
	tests := []struct {
		name    string
		budget  []workflows.Budget
		ask     steps.Estimate
		refused bool
	}{
		{"no bound", limits(0, 0), steps.Estimate{InputTokens: 1 << 40}, false},
		{"tokens fit", limits(100, 0), steps.Estimate{InputTokens: 50}, false},
		{"the input alone does not fit", limits(100, 0), steps.Estimate{InputTokens: 100}, true},
		{"alone, a long answer is let through", limits(100, 0), steps.Estimate{InputTokens: 50, OutputTokens: 9000}, false},
		{"cost", limits(0, 1), steps.Estimate{InputTokens: 100}, true},
		{"that of the caller", limits(0, 0, limits(10, 0)...), steps.Estimate{InputTokens: 50}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			grant, err := spenderOf(t, test.budget).reserve(t.Context(), test.ask)
			if got := err != nil; got != test.refused {
				t.Fatalf("refused: %v (%v), want %v", got, err, test.refused)
			}
			if err != nil {
				if kind := steps.KindOf(err); kind != steps.KindBudget {
					t.Errorf("kind %s, want budget", kind)
				}
				return
			}
			grant.Settle([]steps.Spent{{Model: "m", Usage: providers.Usage{InputTokens: 1}}})
		})
	}
}

func TestBudgetShortensTheLastAnswer(t *testing.T) {
	tests := []struct {
		name    string
		budget  []workflows.Budget
		spent   int64
		ask     steps.Estimate
		most    int64
		refused bool
	}{
		{"no bound", limits(0, 0), 100, steps.Estimate{InputTokens: 10, OutputTokens: 40}, 0, false},
		{"tokens", limits(200, 0), 100, steps.Estimate{InputTokens: 10, OutputTokens: 40, LeastOutput: 20}, 90, false},
		{"cost", limits(0, 2), 100, steps.Estimate{InputTokens: 10, OutputTokens: 40}, 90, false},
		{"the tighter of both", limits(150, 2), 100, steps.Estimate{InputTokens: 10}, 40, false},
		{"that of the caller", limits(0, 0, limits(200, 0)...), 100, steps.Estimate{InputTokens: 10}, 90, false},
		{"too little for an answer of use", limits(120, 0), 100, steps.Estimate{InputTokens: 10, LeastOutput: 11}, 0, true},
		{"free", limits(0, 2), 100, steps.Estimate{Model: "free", InputTokens: 10}, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := spenderOf(t, test.budget)
			first, err := b.reserve(t.Context(), steps.Estimate{})
			if err != nil {
				t.Fatal(err)
			}
			first.Settle([]steps.Spent{{Model: "m", Usage: providers.Usage{InputTokens: test.spent}}})
			grant, err := b.reserve(t.Context(), test.ask)
			if grant.OutputTokens != test.most || (err != nil) != test.refused {
				t.Errorf("granted %d tokens, %v; want %d, refused: %v", grant.OutputTokens, err, test.most, test.refused)
			}
		})
	}
}

func TestBudgetWaitWatchesContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := spenderOf(t, limits(100, 0))
		grant, err := b.reserve(t.Context(), steps.Estimate{InputTokens: 40, OutputTokens: 40})
		if err != nil {
			t.Fatal(err)
		}
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(cause) })
		if _, err := b.reserve(ctx, steps.Estimate{InputTokens: 40}); !errors.Is(err, cause) {
			t.Errorf("got %v, want the context's cause", err)
		}
		grant.Settle([]steps.Spent{{Model: "m", Usage: providers.Usage{InputTokens: 10}}})
		if _, err := b.reserve(t.Context(), steps.Estimate{InputTokens: 40}); err != nil {
			t.Errorf("after it was settled: %v", err)
		}
	})
}

func TestBudgetHints(t *testing.T) {
	tests := []struct {
		name   string
		budget []workflows.Budget
		told   string
		hint   string
		named  string
	}{
		{"tokens", limits(10, 0), "10 of 10 are left", "raise budget.tokens in the workflow", ""},
		{"the cost", limits(0, 0.1), "0.1000 of 0.1000 are left", "raise budget.cost_usd in the workflow", OptionBudgetUSD},
		{"the cost of a used workflow", limits(0, 0.1, limits(0, 0)...), "0.1000 of 0.1000 are left", "raise budget.cost_usd in the workflow", ""},
		{"the tokens of both", limits(10, 100), "10 of 10 are left", "raise budget.tokens in the workflow", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := spenderOf(t, test.budget).reserve(t.Context(), steps.Estimate{InputTokens: 20})
			var told *steps.Error
			if !errors.As(err, &told) || told.Hint != test.hint || told.Option != test.named || !strings.Contains(told.Message, test.told) {
				t.Errorf("got %+v, want %q and the hint %q", told, test.told, test.hint)
			}
		})
	}
}

func TestLimitsCost(t *testing.T) {
	bounded := func(budgets []workflows.Budget) bool { return spenderOf(t, budgets).in.limitsCost() }
	if !bounded(limits(0, 1)) || !bounded(limits(0, 0, limits(0, 1)...)) || bounded(limits(5, 0)) {
		t.Error("a limit on the cost counts, that of a caller too, and no other")
	}
}

func TestBudgetTellsThatItWasOvershot(t *testing.T) {
	b := spenderOf(t, limits(100, 0))
	var grants []steps.Grant
	for range 3 {
		grant, err := b.reserve(t.Context(), steps.Estimate{InputTokens: 10})
		if err != nil {
			t.Fatal(err)
		}
		grants = append(grants, grant)
	}
	for i, used := range []int64{60, 70, 10} {
		grants[i].Settle([]steps.Spent{{Model: "m", Usage: providers.Usage{InputTokens: used}}})
	}
	if told := b.warned; len(told) != 1 || !strings.Contains(told[0], "130 of 100 tokens") {
		t.Errorf("told %q", told)
	}
}

// What is used up to the last token is not overshot.
func TestABudgetThatIsUsedUp(t *testing.T) {
	b := spenderOf(t, limits(100, 0))
	grant, err := b.reserve(t.Context(), steps.Estimate{InputTokens: 10})
	if err != nil {
		t.Fatal(err)
	}
	grant.Settle([]steps.Spent{{Model: "m", Usage: providers.Usage{InputTokens: 100}}})
	if len(b.warned) > 0 {
		t.Errorf("told %q", b.warned)
	}
}

// The race detector judges this: what is told is read while others settle.
func TestBudgetTellsWhatOthersSpend(t *testing.T) {
	b := spenderOf(t, limits(10, 0))
	const requests = 8
	var grants []steps.Grant
	for range requests {
		grant, err := b.reserve(t.Context(), steps.Estimate{})
		if err != nil {
			t.Fatal(err)
		}
		grants = append(grants, grant)
	}
	var group conc.WaitGroup
	for _, grant := range grants {
		group.Go(func() { grant.Settle([]steps.Spent{{Model: "m", Usage: providers.Usage{InputTokens: 20}}}) })
	}
	group.Wait()
	if spent := b.spent()[0]; spent.Tokens != requests*20 {
		t.Errorf("%d tokens are counted", spent.Tokens)
	}
}
