package view

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/workflows"
)

func TestBudgetText(t *testing.T) {
	none, some, more := 0.0, 0.5, 5.0
	for _, test := range []struct {
		budget workflows.Budget
		given  *float64
		want   string
	}{
		{workflows.Budget{}, nil, ""},
		{workflows.Budget{}, &some, "$0.50"},
		{workflows.Budget{CostUSD: 2}, &none, "$0.00"},
		{workflows.Budget{CostUSD: 2, Tokens: 2_000_000, Time: 3600e9}, nil, "$2.00, 2,000,000 tokens, 1h0m0s"},
		{workflows.Budget{CostUSD: 2}, &more, "$5.00"},
	} {
		if got := planBudget(test.budget, test.given).text(); got != test.want {
			t.Errorf("%+v with %v: %q, want %q", test.budget, test.given, got, test.want)
		}
	}
}

func TestRulesText(t *testing.T) {
	rules := workflows.Permissions{
		"write": {{Pattern: "docs/**", Decision: "allow"}, {Pattern: "src/**", Decision: "deny"}},
		"bash":  {{Pattern: "*", Decision: "ask"}},
	}
	if got, want := planRules(rules).text(), "bash: ask *; write: allow docs/**, deny src/**"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
