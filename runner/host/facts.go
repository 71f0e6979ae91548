package host

import (
	"cmp"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// ModelFacts are what is known, before it is asked, of a model that a step asks.
type ModelFacts struct {
	Context, Output int64   // the most tokens of a conversation, and of an answer; 0: not known
	Tiers           []int64 // the lengths of input above which a request may have another price
	CachesForAnHour bool    // it may report tokens that it caches for an hour

	Shortfalls []providers.Shortfall // what the step asks for that it can't do
}

// Facts returns what is known of a model that a step asks, among those that the workflow names.
func (h *Host) Facts(ref string, step *workflows.Step, named runner.Naming) ModelFacts {
	f := &preflight{Loaded: h.Loaded, models: h.options.Models}
	_, facts := f.facts(ref, step, named)
	tiers := func(above []providers.Tier) {
		for _, tier := range above {
			facts.Tiers = append(facts.Tiers, tier.Tokens)
		}
	}
	for _, w := range h.all {
		for _, tier := range w.Prices[ref].Above {
			facts.Tiers = append(facts.Tiers, tier.Tokens)
		}
		if known, _ := providers.Lookup(knownAs(ref, w)); known.Price != nil {
			tiers(known.Price.Above)
		}
	}
	tiers(h.options.Prices[ref].Above)
	return facts
}

// facts is [Host.Facts] without prices, and returns where the model is asked, unless it is a script or
// one of the program's own. What a missing key keeps from being asked has its abilities all the same.
func (f *preflight) facts(ref string, step *workflows.Step, named runner.Naming) (endpoint, ModelFacts) {
	provider, name, _ := strings.Cut(ref, "/")
	params := providers.Params(step.Agent.Params)
	facts := ModelFacts{Output: int64(params.MaxOutputTokens), CachesForAnHour: true}
	if own, _ := f.env.model(ref); own != nil || provider == scriptProvider {
		if own != nil {
			facts.Context = own.Info().Context
		}
		return endpoint{}, facts
	}
	e, _ := f.models.endpoint(provider, named.By)
	if e.api == "" {
		return e, facts
	}
	known, obeys := e.known(ref, name), f.models.connect(e, ref, provider, name).Info().StructuredOutput
	facts.Context, facts.CachesForAnHour = known.Context, e.api == apiAnthropic
	if facts.Output == 0 || known.MaxOutput > 0 {
		facts.Output = min(cmp.Or(facts.Output, known.MaxOutput), known.MaxOutput)
	}
	wants := providers.Wants{Params: params, Tools: len(step.Agent.Tools) > 0, Output: step.Output.Kind == workflows.OutputSchema}
	facts.Shortfalls = providers.Shortfalls(e.api, known.Known, known.reasoning, obeys, wants)
	return e, facts
}
