package openaichat

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire/wiretest"
)

// TestReturns knows models by their hosts, by their names behind gateways, and by
// what the options say.
func TestReturns(t *testing.T) {
	for _, c := range []struct {
		base, model string
		said        *bool
		want        returns
	}{
		{"https://api.deepseek.com/v1", "m", nil, always},
		{"https://API.moonshot.ai/v1", "m", nil, always},
		{"https://api.x.ai/v1", "m", nil, inContent},
		{"https://openrouter.ai/api/v1", "deepseek/deepseek-v3.2", nil, always},
		{"http://localhost:8000/v1", "moonshotai/K2", nil, always},
		{"https://api.fireworks.ai/inference/v1", "accounts/fireworks/models/Kimi-K2-Thinking", nil, always},
		{"http://localhost:8000/v1", "x-ai/grok-4", nil, inContent},
		{"https://api.groq.com/openai/v1", "moonshotai/kimi-k2-instruct", nil, asItCame},
		{"https://api.groq.com/openai/v1", "moonshotai/kimi-k2-instruct", new(true), always},
		{"https://api.deepseek.com/v1", "deepseek-chat", new(false), asItCame},
		{"https://api.openai.com/v1", "gpt-5-mini", nil, asItCame},
		{"ht!tp://h", "qwen3", nil, asItCame},
	} {
		options := Options{Endpoint: providers.Endpoint{BaseURL: c.base, Model: c.model}, ReasoningContent: c.said}
		if got := returnsOf(options); got != c.want {
			t.Errorf("%s at %s: %d, want %d", c.model, c.base, got, c.want)
		}
	}
}

// TestReasoningGoesBack sends answers to models that want their reasoning in one
// way or another.
func TestReasoningGoesBack(t *testing.T) {
	thought := func(provider, raw string) providers.Message {
		return providers.Message{Role: providers.RoleAssistant, Provider: provider, Blocks: []providers.Block{
			{Type: providers.BlockThinking, Text: "x", Raw: []byte(raw)}, {Type: providers.BlockText, Text: "t"},
		}}
	}
	conversation := []providers.Message{
		thought("gateway", `{"reasoning_content":"x"}`), thought("gateway", `{"reasoning":"x"}`), thought("another", `{"reasoning_content":"x"}`),
	}
	for model, want := range map[string]string{
		"deepseek-v3.2": `{"messages":[{"role":"assistant","content":"t","reasoning_content":"x"},
			{"role":"assistant","content":"t","reasoning_content":"x","reasoning":"x"},{"role":"assistant","content":"t","reasoning_content":" "}]}`,
		"grok-4": `{"messages":[{"role":"assistant","content":"t","reasoning_content":"x"},
			{"role":"assistant","content":"t","reasoning_content":"x","reasoning":"x"},{"role":"assistant","content":"t"}]}`,
		"qwen3": `{"messages":[{"role":"assistant","content":"t","reasoning_content":"x"},
			{"role":"assistant","content":"t","reasoning":"x"},{"role":"assistant","content":"t"}]}`,
	} {
		options := Options{Endpoint: providers.Endpoint{Provider: "gateway", Model: model, BaseURL: "http://h/v1"}}
		wiretest.WantFields(t, sent(t, options, providers.Request{Messages: conversation}), want)
	}
}
