package anthropic

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
)

// leastBudget is the smallest budget that the API accepts, in tokens.
const leastBudget = 1_024

// noEffort is the effort that turns thinking off.
const noEffort = "none"

// budgets are those for efforts, in tokens.
var budgets = map[string]int{
	"minimal": leastBudget, "low": 4_096, "medium": 16_384, "high": 32_768, "xhigh": 49_152, "max": 65_536,
}

// thinking is enabled with a budget, adaptive, or disabled.
type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

// requestsReasoning reports whether params ask for reasoning.
func requestsReasoning(params providers.Params) bool {
	return params.ReasoningEffort != "" && params.ReasoningEffort != noEffort || params.ReasoningBudget > 0
}

// checkReasoning returns an error for reasoning with a model that has none, and for an
// answer whose limit has no room for it.
func (m *Model) checkReasoning(params providers.Params) error {
	if params.ReasoningEffort == noEffort && m.can.always {
		return m.client.Misuse("the model always reasons; leave the effort none out")
	}
	if !requestsReasoning(params) || m.can.adaptive {
		return nil
	}
	if !m.can.budget {
		return m.client.Misuse("the model does not support reasoning; leave params.reasoning out")
	}
	if limit := m.maxTokens(params); limit <= leastBudget {
		return m.client.Misuse(fmt.Sprintf("reasoning takes at least %d tokens, and the answer is limited to %d", leastBudget, limit))
	}
	return nil
}

func (m *Model) addReasoning(r *request, req providers.Request) {
	forced := r.ToolChoice != nil && r.ToolChoice.Type == "tool"
	switch {
	case forced, req.Params.ReasoningEffort == noEffort: // a forced call is refused together with thinking
		if m.can.byDefault {
			r.Thinking = &thinking{Type: "disabled"}
		}
	case !requestsReasoning(req.Params):
	case m.can.adaptive && !(m.can.budget && req.Params.ReasoningBudget > 0):
		r.Thinking = &thinking{Type: "adaptive", Display: "summarized"}
		if r.Output == nil {
			r.Output = &outputConfig{}
		}
		r.Output.Effort = req.Params.Effort()
	case !inThoughtlessTurn(r.Messages):
		r.Thinking = &thinking{Type: "enabled", Budget: budget(req.Params, r.MaxTokens)}
	}
}

// budget returns the budget of thinking within the limit of an answer. A larger one is cut
// to three quarters of the limit.
func budget(params providers.Params, limit int) int {
	tokens := params.ReasoningBudget
	if params.ReasoningEffort != "" {
		tokens = budgets[params.ReasoningEffort]
	}
	if tokens >= limit {
		tokens = limit / 4 * 3
	}
	return max(tokens, leastBudget)
}

// inThoughtlessTurn reports whether the model is in the middle of a turn, with results of
// tools to read, that did not begin with a thought, for example because another provider
// began it. The API refuses thinking before the next turn.
func inThoughtlessTurn(messages []message) bool {
	began := -1
	for i := len(messages) - 1; i > 0 && messages[i].holdsResults(); i -= 2 {
		began = i - 1
	}
	return began >= 0 && !messages[began].beginsWithThought()
}

// addSampling adds those of temperature and top_p that the model accepts. While it thinks
// it accepts no temperature, and no small top_p.
func (m *Model) addSampling(r *request, params providers.Params) {
	const leastTopP = 0.95
	if m.can.sampling == 0 {
		return
	}
	if r.Thinking == nil {
		r.Temperature = params.Temperature
	}
	if params.TopP == nil || r.Temperature != nil && m.can.sampling < 2 || r.Thinking != nil && *params.TopP < leastTopP {
		return
	}
	r.TopP = params.TopP
}
