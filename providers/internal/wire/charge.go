package wire

import "encoding/json"

// A Charge is what OpenRouter adds to the usage of its answers, in USD, whichever
// format they are in. Others have other things of these names.
type Charge struct {
	Cost    json.RawMessage `json:"cost"`
	OwnKey  bool            `json:"is_byok"` // the cost is OpenRouter's fee alone
	Details struct {
		Upstream json.RawMessage `json:"upstream_inference_cost"`
	} `json:"cost_details"`
}

// Total returns what the answer has cost; nil where the service does not say, or
// not all.
func (c Charge) Total() *float64 {
	cost, known := amount(c.Cost)
	if c.OwnKey {
		upstream, told := amount(c.Details.Upstream)
		cost, known = cost+upstream, known && told
	}
	if !known {
		return nil
	}
	return &cost
}

// amount reads a number that is none below zero.
func amount(raw json.RawMessage) (n float64, ok bool) {
	return n, IsSet(raw) && json.Unmarshal(raw, &n) == nil && n >= 0
}
