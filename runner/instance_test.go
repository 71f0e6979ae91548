package runner

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func TestPriceOfAWorkflow(t *testing.T) {
	charged := 0.25
	known := func(string, providers.Usage) (float64, bool) { return 9, true }
	in := &instance{
		Workflow: &workflows.Workflow{Prices: map[string]workflows.Price{"a/own": {Input: 1, Output: 2}, "script/x": {Output: 3}}},
		exec:     &exec{Options: Options{Price: known}},
	}
	million := providers.Usage{InputTokens: 1e6, OutputTokens: 1e6}
	for _, test := range []struct {
		model   string
		charged *float64
		want    float64
	}{
		{"a/own", nil, 3}, {"a/own", &charged, charged}, {"script/x", nil, 3}, {"b/other", nil, 9},
	} {
		used := million
		used.Cost = test.charged
		if got, known := in.price(test.model, used); got != test.want || !known {
			t.Errorf("%s costs %v, %v; want %v", test.model, got, known, test.want)
		}
	}
}
