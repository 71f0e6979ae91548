package wire

import "encoding/json"

// A Charge is what OpenRouter adds to the usage of its answers, in USD, in all formats.
// Other services may use these names for other things.
type Charge struct {
	Cost    json.RawMessage `json:"cost"`
	OwnKey  bool            `json:"is_byok"` // the cost is OpenRouter's fee alone
	Details struct {
		Upstream json.RawMessage `json:"upstream_inference_cost"`
	} `json:"cost_details"`
}

// Total returns the cost of the answer; nil if the service reports none, or only a part.
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

// amount parses a number that is not negative.
func amount(raw json.RawMessage) (n float64, ok bool) {
	return n, IsSet(raw) && json.Unmarshal(raw, &n) == nil && n >= 0
}
