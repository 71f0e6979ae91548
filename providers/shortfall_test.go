package providers

import (
	"fmt"
	"strings"
	"testing"
)

func TestShortfalls(t *testing.T) {
	half, seed := 0.5, int64(7)
	tests := []struct {
		name string
		api  string
		ref  string
		obey bool // the service obeys a schema
		asks Wants
		want string // key: message => instead, a line each
	}{
		{"nothing", "openai-chat", "openai-chat/gpt-4o", false, Wants{}, ""},
		{"an effort", "openai-responses", "openai/gpt-5", true, Wants{Params: Params{ReasoningEffort: "low"}, Tools: true, Output: true}, ""},
		{"no reasoning", "openai-responses", "openai/gpt-4.1", true, Wants{Params: Params{ReasoningEffort: "low"}},
			"params.reasoning: the model does not support reasoning => \n"},
		{"no reasoning, budget", "openai-chat", "openai-chat/gpt-4o", true, Wants{Params: Params{ReasoningBudget: 2000}},
			"params.reasoning: the model does not support reasoning => \n"},
		{"reasoning that can't be set", "openai-chat", "deepseek/deepseek-reasoner", true, Wants{Params: Params{ReasoningEffort: "low"}},
			"params.reasoning: the model decides itself how much it reasons => \n"},
		{"a budget for an effort", "openai-responses", "openai/gpt-5", true, Wants{Params: Params{ReasoningBudget: 10_000}},
			"params.reasoning: the model takes an effort, not a budget => the budget is replaced by the effort medium\n"},
		{"an effort for a budget", "anthropic", "anthropic/claude-sonnet-4-5", true, Wants{Params: Params{ReasoningEffort: "high"}},
			"params.reasoning: the model takes a budget, not an effort => the effort is replaced by a budget of tokens\n"},
		{"an effort for a budget, which a router translates", "openai-chat", "openrouter/anthropic/claude-sonnet-4.5", true, Wants{Params: Params{ReasoningEffort: "high"}}, ""},
		{"an effort beside a budget", "anthropic", "anthropic/claude-opus-4-5", true, Wants{Params: Params{ReasoningEffort: "high"}}, ""},
		{"an effort that is unknown", "openai-responses", "openai/gpt-5-pro", true, Wants{Params: Params{ReasoningEffort: "low"}},
			"params.reasoning: the model does not support the effort low; it supports high => \n"},
		{"a budget that becomes an effort that is unknown", "openai-chat", "deepseek/deepseek-v4-pro", true, Wants{Params: Params{ReasoningBudget: 1}},
			"params.reasoning: the model does not support the effort low; it supports high, max => \n"},
		{"an effort that is new", "openai-responses", "openai/gpt-5.4", true, Wants{Params: Params{ReasoningEffort: "xhigh"}}, ""},
		{"an effort that is too new", "openai-responses", "openai/gpt-5", true, Wants{Params: Params{ReasoningEffort: "max"}},
			"params.reasoning: the model does not support the effort max; it supports minimal, low, medium, high => \n"},
		{"an effort that Google's model does not have", "google", "google/gemini-3.1-pro-preview", true, Wants{Params: Params{ReasoningEffort: "minimal"}},
			"params.reasoning: the model does not support the effort minimal; it supports low, medium, high => \n"},
		{"no effort of a model that reasons when it is told to", "anthropic", "anthropic/claude-sonnet-4-5", true, Wants{Params: Params{ReasoningEffort: "none"}}, ""},
		{"no effort where the budget may be 0", "google", "google/gemini-2.5-flash", true, Wants{Params: Params{ReasoningEffort: "none"}}, ""},
		{"no effort where it may not", "google", "google/gemini-2.5-pro", true, Wants{Params: Params{ReasoningEffort: "none"}},
			"params.reasoning: the model does not support the effort none; it supports minimal, low, medium, high, xhigh, max => \n"},
		{"a budget", "google", "google/gemini-2.5-pro", true, Wants{Params: Params{ReasoningBudget: 1000}}, ""},
		{"a small budget", "anthropic", "anthropic/claude-sonnet-4-5", true, Wants{Params: Params{ReasoningBudget: 1000}},
			"params.reasoning: the model needs a budget of at least 1024 tokens, not 1000 => the minimum is used\n"},
		{"a large budget", "google", "google/gemini-2.5-flash", true, Wants{Params: Params{ReasoningBudget: 50_000}},
			"params.reasoning: the model takes a budget of at most 24576 tokens, not 50000 => the maximum is used\n"},
		{"no tools", "openai-chat", "groq/groq/compound", false, Wants{Tools: true},
			"tools: the model can't call tools => \n"},
		{"no tools for the result", "openai-chat", "groq/groq/compound", false, Wants{Output: true},
			"output: the model supports neither structured output nor tools => \n"},
		{"structured output by a tool", "openai-chat", "vllm/qwen", false, Wants{Output: true, Tools: true},
			"output: the model may not support structured output together with tools => the result is requested by a tool\n"},
		{"structured output by a tool, without others", "openai-chat", "vllm/qwen", false, Wants{Output: true},
			"output: the model may not support structured output => the result is requested by a tool\n"},
		{"seed", "openai-responses", "mine/x", true, Wants{Params: Params{Seed: &seed}}, "params.seed: the API of the model has no seed => it is not sent\n"},
		{"seed of a format that has it", "google", "mine/x", true, Wants{Params: Params{Seed: &seed}}, ""},
		{"temperature", "openai-responses", "openai/gpt-5", true, Wants{Params: Params{Temperature: &half}},
			"params.temperature: the model does not support a temperature, or not while it reasons => it is sent anyway; the service may refuse it\n"},
		{"temperature with thinking", "anthropic", "anthropic/claude-opus-4-5", true, Wants{Params: Params{Temperature: &half, ReasoningEffort: "low"}},
			"params.temperature: the model does not support a temperature, or not while it reasons => it is not sent\n"},
		{"temperature without", "anthropic", "anthropic/claude-opus-4-5", true, Wants{Params: Params{Temperature: &half}}, ""},
		{"a long answer", "openai-chat", "openai-chat/gpt-4o", true, Wants{Params: Params{MaxOutputTokens: 100_000}},
			"params.max_output_tokens: the model gives at most 16384 tokens in an answer => it is sent anyway; the service may refuse it\n"},
		{"a model that is not known", "openai-chat", "mine/x", true, Wants{Params: Params{MaxOutputTokens: 1e9, ReasoningEffort: "low", Temperature: &half}, Tools: true, Output: true}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			known, found := Lookup(tt.ref)
			for _, s := range Shortfalls(tt.api, known, found, tt.obey, tt.asks) {
				fmt.Fprintf(&got, "%s: %s => %s\n", s.Key, s.Message, s.Instead)
			}
			if got.String() != tt.want {
				t.Errorf("got:\n%swant:\n%s", got.String(), tt.want)
			}
		})
	}
}

func TestEffort(t *testing.T) {
	for _, tt := range []struct {
		params Params
		want   string
	}{
		{Params{}, ""}, {Params{ReasoningEffort: "high", ReasoningBudget: 1}, "high"}, {Params{ReasoningBudget: -1}, ""},
		{Params{ReasoningBudget: 4096}, "low"}, {Params{ReasoningBudget: 4097}, "medium"}, {Params{ReasoningBudget: 16384}, "medium"}, {Params{ReasoningBudget: 16385}, "high"},
	} {
		if got := tt.params.Effort(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.params, got, tt.want)
		}
	}
}
