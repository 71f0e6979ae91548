package providers

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func TestCost(t *testing.T) {
	own := Prices{
		"openai/gpt-5":  {Input: 2, Output: 20, CachedInput: 1},
		"vllm/qwen":     {Input: 1, Output: 3},
		"ollama/llama3": {},
	}
	usage := Usage{InputTokens: 1_000_000, OutputTokens: 100_000, CachedInputTokens: 400_000, ReasoningTokens: 90_000}
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
		{"free", own, "ollama/llama3", usage, 0, true},
		{"script", nil, "script/demo.yaml", usage, 0, true},
		{"more cached than came in", own, "openai/gpt-5", Usage{InputTokens: 1_000_000, CachedInputTokens: 2_000_000}, 1, true},
		{"nothing used", nil, "openai/gpt-5", Usage{}, 0, true},
		{"unknown model", nil, "openai/gpt-99", usage, 0, false},
		{"a version is not guessed", nil, "openai/gpt-5-2025-08-07", usage, 0, false},
		{"same name elsewhere", nil, "azure/gpt-5", usage, 0, false},
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

func TestPriceTable(t *testing.T) {
	var file struct{ Source, Date string }
	if err := json.Unmarshal(priceFile, &file); err != nil {
		t.Fatal(err)
	}
	if _, err := time.Parse(time.DateOnly, file.Date); err != nil || file.Source == "" {
		t.Errorf("the table is from %q, %q", file.Date, file.Source)
	}
	for model, price := range priceTable() {
		if price.CachedInput <= 0 || price.CachedInput >= price.Input || price.Input >= price.Output {
			t.Errorf("%s: %+v", model, price)
		}
	}
}
