package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// pricing returns a function that prices the answers of models: by the given prices, or else by the
// table of package providers. The runner applies a workflow's own prices. If several workflows define
// a provider of one name, the most expensive counts, so that none makes another's model cheaper.
func (l *Loaded) pricing(given providers.Prices) func(string, providers.Usage) (float64, bool) {
	return func(ref string, u providers.Usage) (float64, bool) {
		if _, isGiven := given[ref]; isGiven {
			return given.Cost(ref, u)
		}
		cost, known, described := 0.0, true, false
		for _, w := range l.all {
			if _, own := w.Providers[providerOf(ref)]; own {
				usd, priced := given.Cost(knownAs(ref, w), u)
				cost, known, described = max(cost, usd), known && priced, true
			}
		}
		if described {
			return cost, known
		}
		return given.Cost(ref, u)
	}
}

// ReadPrices reads a YAML or JSON file that maps references of models to prices and their tiers, as
// prices in a workflow does.
func ReadPrices(file string) (providers.Prices, error) {
	data, err := ReadSource(file)
	if err != nil {
		return nil, steps.Invalid("", "%s: %v", file, err)
	}
	value, found := workflows.DecodeData(file, data)
	if found.HasErrors() {
		return nil, steps.Invalid("", "%v", found)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, steps.Invalid("", "%s: %v", file, err)
	}
	var prices providers.Prices
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&prices); err != nil {
		const form = "such as openai/gpt-5: {input: 1.25, output: 10, cached_input: 0.125}, in USD for a million tokens"
		return nil, steps.Invalid(form, "%s: %s", file, strings.TrimPrefix(err.Error(), "json: "))
	}
	for ref, price := range prices {
		if err := checkPrice(ref, price); err != nil {
			return nil, steps.Invalid("", "%s: %v", file, err)
		}
	}
	return prices, nil
}

func checkPrice(ref string, price providers.Price) error {
	if !strings.Contains(ref, "/") {
		return fmt.Errorf("a price is for provider/model, not %q", ref)
	}
	if price.Input < 0 || price.Output < 0 || price.CachedInput != nil && *price.CachedInput < 0 || price.CacheWrite != nil && *price.CacheWrite < 0 || price.CacheWrite1h != nil && *price.CacheWrite1h < 0 {
		return fmt.Errorf("the price of %s is negative", ref)
	}
	for _, tier := range price.Above {
		if err := checkPrice(ref, tier.Price); err != nil {
			return err
		}
	}
	return nil
}
