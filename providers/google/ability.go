package google

import (
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Info describes the model and what it can do.
func (m *Model) Info() providers.Info {
	structured := isNewest(m.options.Model)
	if m.options.StructuredOutput != nil {
		structured = *m.options.StructuredOutput
	}
	return providers.Info{Ref: m.options.Ref, Provider: m.options.Provider, StructuredOutput: structured}
}

// generation returns the number in a Gemini's name: 2.5 for gemini-2.5-pro; 0 for other
// names.
func generation(model string) float64 {
	number, ok := strings.CutPrefix(plainName(model), "gemini-")
	if !ok {
		return 0
	}
	number, _, _ = strings.Cut(number, "-")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0
	}
	return n
}

// plainName returns a model's name without its path.
func plainName(model string) string {
	return strings.ToLower(model[strings.LastIndex(model, "/")+1:])
}

// isNewest reports whether a model is known to be Gemini 3 or later, as names with -latest
// are.
func isNewest(model string) bool {
	name := plainName(model)
	return generation(model) >= 3 || strings.HasPrefix(name, "gemini-") && strings.HasSuffix(name, "-latest")
}

// isOlder reports whether a model is known to be older than Gemini 3.
func isOlder(model string) bool {
	n := generation(model)
	return n > 0 && n < 3
}

type thinkingConfig struct {
	IncludeThoughts bool   `json:"includeThoughts"`
	Level           string `json:"thinkingLevel,omitempty"`
	Budget          *int   `json:"thinkingBudget,omitempty"`
}

// thinking translates the parameters for reasoning; nil if there are none. Models before
// Gemini 3 have a budget in tokens, later ones a level: the other one is converted to the
// nearest. Thoughts are shown.
func thinking(model string, params providers.Params) *thinkingConfig {
	effort := params.Effort()
	if effort == "" {
		return nil
	}
	config := &thinkingConfig{IncludeThoughts: effort != "none"}
	if isOlder(model) {
		budget := budget(model, effort, params.ReasoningBudget)
		config.Budget = &budget
		return config
	}
	if effort == "medium" && strings.HasPrefix(plainName(model), "gemini-3-pro") { // it knows two levels only
		effort = "high"
	}
	config.Level = strings.ToUpper(effort)
	return config
}

// budget returns the number of tokens, within the limits of the model. Without a number it
// is Google's own for the effort in its OpenAI-compatible API. See
// https://ai.google.dev/gemini-api/docs/thinking.
func budget(model, effort string, wanted int) int {
	if wanted <= 0 {
		wanted = map[string]int{"minimal": 1_024, "low": 1_024, "medium": 8_192, "high": 24_576, "xhigh": 32_768, "max": 32_768}[effort]
	}
	least, most := 0, 24_576
	switch name := plainName(model); {
	case strings.Contains(name, "pro"):
		least, most = 128, 32_768
	case strings.Contains(name, "lite"):
		least = 512
	}
	return min(max(wanted, least), most)
}
