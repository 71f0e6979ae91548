package openai

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/native"
)

// Info describes the model and what it can do.
func (m *Model) Info() providers.Info {
	return native.Info(m.options.Endpoint, m.native, m.options.StructuredOutput)
}

// reasons reports whether a model may think before it answers. Other models refuse requests
// for encrypted reasoning.
func reasons(model string) bool {
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	for _, prefix := range []string{"gpt-3", "gpt-4", "chatgpt-", "gpt-5-chat"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return true
}
