package runner

import (
	"errors"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A request inside of a used workflow is held to the tighter of two budgets, and
// counts in both; an error, and an answer that is cut off, name the one.
func TestBudgetsInEachOther(t *testing.T) {
	const input, output = 10, 400
	tests := []struct {
		name         string
		outer, inner int64
		most         int64 // how long the answer may be
		own          bool  // the bound is the inner one's
	}{
		{"the outer is tighter", 100, 300, 90, false},
		{"the inner is tighter", 300, 100, 90, true},
		{"only the outer", 100, 0, 90, false},
		{"only the inner", 0, 100, 90, true},
		{"unexpected response", 0, 0, 0, false},
	}
	for _, test := range tests {
		b := spenderOf(t, limits(test.inner, 0, limits(test.outer, 0)...))
		grant, err := b.reserve(t.Context(), steps.Estimate{InputTokens: input, OutputTokens: output, LeastOutput: 1})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if grant.OutputTokens != test.most || grant.OutputTokens > 0 && (grant.BudgetOf == b.in.budgetOwner()) != test.own {
			t.Errorf("%s: at most %d tokens by %q, want %d", test.name, grant.OutputTokens, grant.BudgetOf, test.most)
		}
		grant.Settle([]steps.Spent{{Model: "m", Usage: providers.Usage{InputTokens: 5, OutputTokens: 30}}})
		for _, spent := range b.spent() {
			if spent.Tokens != 35 {
				t.Errorf("%s: %d tokens are spent", test.name, spent.Tokens)
			}
		}
	}
}

// What one budget refuses holds nothing in the one around it.
func TestARefusedRequestHoldsNothing(t *testing.T) {
	b := spenderOf(t, limits(10, 0, limits(1000, 0)...))
	_, err := b.reserve(t.Context(), steps.Estimate{InputTokens: 10, OutputTokens: 5, LeastOutput: 1})
	var own *steps.Error
	if !errors.As(err, &own) || !b.in.owns(own) {
		t.Errorf("got %v, want that the inner budget is used up", err)
	}
	if outer := b.budget.outer; outer.inFlight != 0 || outer.reserved != (tools.Amount{}) {
		t.Errorf("%v is still reserved in the outer one", outer.reserved)
	}
}

// The last token of a budget can be spent, and none after it; that more was
// spent is warned of once.
func TestTheEdgeOfABudget(t *testing.T) {
	b := spenderOf(t, limits(100, 0))
	spend := func(tokens int64) error {
		grant, err := b.reserve(t.Context(), steps.Estimate{InputTokens: 1, OutputTokens: 1, LeastOutput: 1})
		if err == nil {
			grant.Settle([]steps.Spent{{Model: "m", Usage: providers.Usage{OutputTokens: tokens}}})
		}
		return err
	}
	if err := spend(97); err != nil {
		t.Errorf("of 100 tokens: %v", err)
	}
	if err := spend(1); err != nil || len(b.warned) != 0 {
		t.Errorf("of the last 3 tokens: %v, %d warnings", err, len(b.warned))
	}
	if err := spend(1); err == nil {
		t.Error("2 of the last 2 tokens were granted: an estimate that reaches the budget does not fit")
	}
	first, err := spenderOf(t, limits(0, 1)), error(nil)
	for range 3 {
		var grant steps.Grant
		if grant, err = first.reserve(t.Context(), steps.Estimate{InputTokens: 1, OutputTokens: 1, LeastOutput: 1}); err == nil {
			grant.Settle([]steps.Spent{{Model: "m", Usage: providers.Usage{OutputTokens: 150}}})
		}
	}
	if len(first.warned) != 1 || err == nil {
		t.Errorf("%d warnings, and then %v", len(first.warned), err)
	}
}

// --budget-usd 0 is no budget without a bound: nothing may be spent.
func TestABudgetOfNothing(t *testing.T) {
	tr := newTrial(t)
	nothing := 0.0
	tr.change = func(o *Options) {
		o.BudgetUSD = &nothing
		o.Price = cents
	}
	r := tr.run("name: t\nmodel: openai/m\nsteps:\n  - {id: a, prompt: hi}\n")
	if r.Status != steps.Stopped || r.Error.Kind != steps.KindBudget {
		t.Errorf("%s: %+v", r.Status, r.Error)
	}
}
