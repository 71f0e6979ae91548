package wire

import (
	"encoding/json"
	"math"
	"testing"
)

func TestCharge(t *testing.T) {
	for _, c := range []struct {
		usage string
		want  float64 // below zero: not known
	}{
		{`{"prompt_tokens":1}`, -1},
		{`{"cost":0.00007159}`, 0.00007159},
		{`{"cost":0}`, 0},
		{`{"cost":null}`, -1},
		{`{"cost":-1}`, -1},
		{`{"cost":{"total_cost":1}}`, -1},
		{`{"cost":0.01,"is_byok":true,"cost_details":{"upstream_inference_cost":0.2}}`, 0.21},
		{`{"cost":0.01,"is_byok":true,"cost_details":{"upstream_inference_cost":null}}`, -1},
		{`{"cost":0.2,"is_byok":false,"cost_details":{"upstream_inference_cost":0.2}}`, 0.2},
	} {
		var charge Charge
		if err := json.Unmarshal([]byte(c.usage), &charge); err != nil {
			t.Errorf("%s: %v", c.usage, err)
		}
		got := charge.Total()
		if (got == nil) != (c.want < 0) || got != nil && math.Abs(*got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.usage, got, c.want)
		}
	}
}
