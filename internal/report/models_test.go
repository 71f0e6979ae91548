package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

func TestModels(t *testing.T) {
	yes, no, kept := true, false, 0.125
	list := &host.Listing{
		Date:      "2026-11-01",
		Providers: []host.Provider{{Name: "openai", KeyState: "OPENAI_API_KEY", AddressState: "default"}},
		Unknown:   []string{"openai/gpt-5-minni", "own/x\x1b"},
		Models: []host.KnownModel{
			{Model: "openai/a", Known: providers.Known{
				Context: 400000, MaxOutput: 128000, Price: &providers.Price{Input: 1.25, Output: 10, CachedInput: &kept, Above: []providers.Tier{{}}},
				Tools: &yes, StructuredOutput: &yes, Temperature: &no, Reasoning: &providers.Reasoning{Efforts: []string{"low", "high"}},
			}},
			{Model: "openai/b", Known: providers.Known{Price: &providers.Price{Input: 2, Output: 8}, Temperature: &yes, Reasoning: &providers.Reasoning{Budget: true}}},
			{Model: "openai/c", Known: providers.Known{Reasoning: &providers.Reasoning{}}},
		},
	}
	const named = `PROVIDER        KEY             BASE URL
openai/<model>  OPENAI_API_KEY  default

openai/gpt-5-minni is not a known model: its price and limits are unknown, but you can use it (did you mean "openai/gpt-5-mini"?)

own/x\x1b is not a known model: its price and limits are unknown, but you can use it

Known models, as of 2026-11-01. Prices in USD for a million tokens:
MODEL     CONTEXT  MAX OUTPUT  INPUT  CACHED  OUTPUT  ABILITIES
openai/a  400000   128000      1.25+  0.125   10+     tools, schema, reasoning (low high)
openai/b  -        -           2      -       8       temperature, reasoning (budget)
openai/c  -        -           -      -       -       reasoning
`
	if diff := cmp.Diff(named, report.Models(list, false)); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
	list.Unknown, list.Models = nil, nil
	const all = `PROVIDER        KEY             BASE URL
script/<file>   none needed
openai/<model>  OPENAI_API_KEY  default
`
	if diff := cmp.Diff(all, report.Models(list, true)); diff != "" {
		t.Errorf("providers (-want +got):\n%s", diff)
	}
}

func TestCheckups(t *testing.T) {
	want := `PROVIDER   STATUS    TIME   MODEL     PROBLEM
openai     answered  1.23s  openai/a
anthropic  failed                     auth: the key\x1b was refused (set it)
google     skipped                    no key
`
	got := report.Checkups([]host.Provider{
		{Name: "openai", Check: &host.Checkup{Status: host.Answered, Model: "openai/a", DurationMS: 1234}},
		{Name: "anthropic", Check: &host.Checkup{Status: host.Failed, Kind: "auth", Message: "the key\x1b\nwas refused", Hint: "set it"}},
		{Name: "google", Check: &host.Checkup{Status: host.Skipped, Message: "no key"}},
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checkups (-want +got):\n%s", diff)
	}
}
