package wire

import "github.com/a-seed-11b9befa/flow/providers"

// Up to these budgets, in tokens, an effort is low, or medium.
const (
	lowBudget    = 4_096
	mediumBudget = 16_384
)

// Effort returns the effort of reasoning that params ask for, for services that
// know no budget: one becomes the effort that comes nearest. It is empty when
// nothing was asked.
func Effort(params providers.Params) string {
	switch budget := params.ReasoningBudget; {
	case params.ReasoningEffort != "":
		return params.ReasoningEffort
	case budget <= 0:
		return ""
	case budget <= lowBudget:
		return "low"
	case budget <= mediumBudget:
		return "medium"
	}
	return "high"
}
