package providers

import (
	"math"
	"testing"
)

func usd(n float64) *float64 { return &n }

func TestCost(t *testing.T) {
	own := Prices{
		"openai/gpt-5":      {Input: 2, Output: 20, CachedInput: usd(1)},
		"vllm/qwen":         {Input: 1, Output: 3},
		"vllm/kept":         {Input: 1, Output: 3, CachedInput: usd(0), CacheWrite: usd(2)},
		"ollama/llama3":     {},
		"script/priced.yml": {Input: 1, Output: 1},
	}
	usage := Usage{InputTokens: 1_000_000, OutputTokens: 100_000, CachedInputTokens: 400_000, ReasoningTokens: 90_000}
	written := Usage{InputTokens: 100_000, OutputTokens: 10_000, CachedInputTokens: 50_000, CacheWriteTokens: 30_000}
	long := Usage{InputTokens: 200_001, OutputTokens: 1000, CachedInputTokens: 100_000}
	charged := usage
	charged.Cost = usd(0.0123)
	free := usage
	free.Cost = usd(0)
	tests := []struct {
		name   string
		prices Prices
		ref    string
		usage  Usage
		want   float64
		known  bool
	}{
		{"table", nil, "openai/gpt-5", usage, 0.6*1.25 + 0.4*0.125 + 0.1*10, true},
		{"table, by the other interface", nil, "openai-chat/gpt-5", usage, 0.6*1.25 + 0.4*0.125 + 0.1*10, true},
		{"the workflow's goes first", own, "openai/gpt-5", usage, 0.6*2 + 0.4*1 + 0.1*20, true},
		{"no price for what is cached", own, "vllm/qwen", usage, 1 + 0.3, true},
		{"what is cached is free", own, "vllm/kept", written, 0.02*1 + 0.03*2 + 0.01*3, true},
		{"free", own, "ollama/llama3", usage, 0, true},
		{"script", nil, "script/demo.yaml", usage, 0, true},
		{"script with a price", own, "script/priced.yml", usage, 1.1, true},
		{"cached for an hour", Prices{"a/b": {Input: 1, Output: 5, CacheWrite: usd(1.25)}}, "a/b", Usage{InputTokens: 1_000_000, CacheWriteTokens: 600_000, CacheWrite1h: 200_000}, 0.4 + 0.5 + 0.4, true},
		{"cached for an hour, at a price of its own", Prices{"a/b": {Input: 1, Output: 5, CacheWrite: usd(1.25), CacheWrite1h: usd(3)}}, "a/b", Usage{InputTokens: 1_000_000, CacheWriteTokens: 600_000, CacheWrite1h: 200_000}, 0.4 + 0.5 + 0.6, true},
		{"more cached for an hour than was cached", Prices{"a/b": {Input: 1, CacheWrite: usd(1.25)}}, "a/b", Usage{InputTokens: 1_000_000, CacheWriteTokens: 1_000_000, CacheWrite1h: 9_000_000}, 2, true},
		{"more cached than came in", own, "openai/gpt-5", Usage{InputTokens: 1_000_000, CachedInputTokens: 2_000_000, CacheWriteTokens: 9}, 1, true},
		{"nothing used", nil, "openai/gpt-5", Usage{}, 0, true},
		{"anthropic takes more for what it is to keep", nil, "anthropic/claude-sonnet-4-5", written, 0.02*3 + 0.05*0.3 + 0.03*3.75 + 0.01*15, true},
		{"google, short", nil, "google/gemini-2.5-pro", Usage{InputTokens: 200_000, OutputTokens: 1000}, 0.2*1.25 + 0.001*10, true},
		{"google, long", nil, "google/gemini-2.5-pro", long, 0.100001*2.5 + 0.1*0.25 + 0.001*15, true},
		{"openai, long", nil, "openai/gpt-5.4", Usage{InputTokens: 300_000, OutputTokens: 1000}, 0.3*5 + 0.001*22.5, true},
		{"what was charged goes first", own, "openai/gpt-5", charged, 0.0123, true},
		{"charged nothing, unknown model", nil, "openrouter/x/y:free", free, 0, true},
		{"unknown model", nil, "openai/gpt-99", usage, 0, false},
		{"a version is not guessed", nil, "openai/gpt-5-2025-08-07", usage, 0, false},
		{"same name elsewhere", nil, "azure/gpt-5", usage, 0, false},
		{"known, without a price", nil, "google/gemma-4-31b-it", usage, 0, false},
		{"no provider", nil, "gpt-5", usage, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, known := tt.prices.Cost(tt.ref, tt.usage)
			if math.Abs(got-tt.want) > 1e-9 || known != tt.known {
				t.Errorf("got %v, %v; want %v, %v", got, known, tt.want, tt.known)
			}
		})
	}
}

func TestUsageAdd(t *testing.T) {
	one, two := Usage{InputTokens: 1, Cost: usd(0.5)}, Usage{OutputTokens: 2, CacheWriteTokens: 3}
	tests := []struct {
		name string
		a, b Usage
		want *float64
	}{
		{"none", Usage{}, Usage{}, nil},
		{"the first", Usage{}, one, usd(0.5)},
		{"the last", one, Usage{}, usd(0.5)},
		{"both", one, one, usd(1)},
		{"one that says nothing", one, two, nil},
	}
	for _, tt := range tests {
		got := tt.a.Add(tt.b)
		if (got.Cost == nil) != (tt.want == nil) || got.Cost != nil && *got.Cost != *tt.want {
			t.Errorf("%s: cost %v", tt.name, got.Cost)
		}
		if got.InputTokens != tt.a.InputTokens+tt.b.InputTokens || got.CacheWriteTokens != tt.a.CacheWriteTokens+tt.b.CacheWriteTokens {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// BenchmarkCost prices one answer of a model that the table knows.
func BenchmarkCost(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, known := Prices(nil).Cost("openai/gpt-5-mini", Usage{InputTokens: 10}); !known {
			b.Fatal("no price")
		}
	}
}
