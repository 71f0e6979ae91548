package host

import (
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
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
	stated, found := workflows.ParsePrices(file, data)
	if found.HasErrors() {
		return nil, steps.Invalid("", "%v", found)
	}
	prices := providers.Prices{}
	for ref, price := range stated {
		prices[ref] = runner.StatedPrice(price)
	}
	return prices, nil
}
