package anthropic

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

func TestAbilities(t *testing.T) {
	generation := func(from int) ability {
		for _, g := range generations() {
			if g.from == from {
				return g.ability
			}
		}
		t.Fatalf("no generation %d", from)
		return ability{}
	}
	limited := func(a ability, tokens int) ability {
		a.maxTokens = tokens
		return a
	}
	newest := generations()[0].ability
	for model, want := range map[string]ability{
		"claude-2.1":                 generation(0),
		"claude-instant-1.2":         generation(0),
		"claude-3-haiku-20240307":    generation(0),
		"claude-3-5-sonnet-20241022": generation(350),
		"claude-3-5-haiku-latest":    generation(350),
		"claude-3-7-sonnet-20250219": generation(370),
		"claude-sonnet-4-20250514":   generation(370),
		"claude-sonnet-4-0":          generation(370),
		"claude-opus-4@20250514":     limited(generation(370), 32_000),
		"claude-opus-4-1-20250805":   limited(generation(410), 32_000),
		"claude-haiku-4-5":           generation(450),
		"claude-sonnet-4-5-20250929": generation(450),
		"claude-opus-4-5":            generation(450),
		"claude-sonnet-4-6":          limited(generation(460), 128_000),
		"claude-opus-4-6":            generation(460),
		"claude-opus-4-7":            generation(470),
		"claude-opus-4-8":            generation(470),
		"claude-sonnet-5":            generation(500),
		"claude-opus-5":              generation(500),
		"claude-haiku-5":             limited(generation(500), 64_000),
		"claude-sonnet-5-5":          generation(550),
		"claude-fable-5":             newest,
		"claude-fable-5-1":           newest,
		"claude-mythos-preview":      newest,
		"claude-opus-9-1":            newest,
		"claude":                     newest,

		"anthropic/claude-sonnet-4.5":                 generation(450),
		"us.anthropic.claude-haiku-4-5-20251001-v1:0": generation(450),
		"eu.anthropic.claude-opus-4-20250514-v1:0":    limited(generation(370), 32_000),
		"global.anthropic.Claude-Opus-4-6-v1":         generation(460),
		"kimi-k2":                                     {maxTokens: 32_000, budget: true, sampling: 2},
		"":                                            {maxTokens: 32_000, budget: true, sampling: 2},
		"claude-999999999999999999999999999999-oddity": newest,
	} {
		if got := abilityOf(model); got != want {
			t.Errorf("%q: %+v, want %+v", model, got, want)
		}
	}
}

// TestAbilitiesAgreeWithTheTable compares what a name tells with what the table of
// models says.
func TestAbilitiesAgreeWithTheTable(t *testing.T) {
	compared := 0
	for _, ref := range providers.KnownModels() {
		model, ours := strings.CutPrefix(ref, "anthropic/")
		if !ours {
			continue
		}
		compared++
		known, _ := providers.Lookup(ref)
		can := abilityOf(model)
		if int64(can.maxTokens) != known.MaxOutput {
			t.Errorf("%s: at most %d tokens, the table has %d", model, can.maxTokens, known.MaxOutput)
		}
		if accepts := known.Temperature; accepts == nil || *accepts != (can.sampling > 0) {
			t.Errorf("%s: takes %d of temperature and top_p, which the table says differently", model, can.sampling)
		}
		r := known.Reasoning
		if r == nil {
			r = &providers.Reasoning{}
		}
		if r.Budget != can.budget || can.adaptive && len(r.Efforts) == 0 {
			t.Errorf("%s: budget %v, adaptive %v, the table has %+v", model, can.budget, can.adaptive, *r)
		}
	}
	if compared == 0 {
		t.Error("the table has no model of Anthropic's")
	}
}
