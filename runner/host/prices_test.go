package host

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A provider of the user's own that is a vendor by another name costs what the
// vendor's table says; one that is not costs nobody knows what.
func TestPricesOfVendors(t *testing.T) {
	w := &workflows.Workflow{Providers: map[string]workflows.Endpoint{
		"given": {API: apiChat, BaseURL: "https://api.deepseek.com/v1"},
		"deep":  {API: apiChat, BaseURL: "https://api.deepseek.com/v1"},
		"local": {API: apiChat, BaseURL: "http://localhost:8000/v1"},
	}}
	price := loadedAs(w, nil).pricing(providers.Prices{"given/deepseek-chat": {Input: 7}})
	usage := providers.Usage{InputTokens: 1_000_000}
	for ref, want := range map[string]struct {
		usd   float64
		known bool
	}{
		"deep/deepseek-chat":  {0.14, true},
		"given/deepseek-chat": {7, true},
		"local/deepseek-chat": {0, false},
		"openai/gpt-5":        {1.25, true},
		"script/x.yaml":       {0, true},
	} {
		if usd, known := price(ref, usage); usd != want.usd || known != want.known {
			t.Errorf("%s: %v, %v; want %v, %v", ref, usd, known, want.usd, want.known)
		}
	}
}

// A used workflow whose provider has the name of its caller's makes that one's models no
// cheaper, and prices none that nobody knows the price of.
func TestPricesOfOneName(t *testing.T) {
	named := func(url string) *workflows.Workflow {
		return &workflows.Workflow{Providers: map[string]workflows.Endpoint{"acme": {API: apiChat, BaseURL: url}}}
	}
	usage := providers.Usage{InputTokens: 1_000_000}
	for _, tt := range []struct {
		caller, used string
		ref          string
		usd          float64
		known        bool
	}{
		{"https://llm.acme.example/v1", "https://api.openai.com/v1", "acme/gpt-5", 0, false},
		{"https://api.openai.com/v1", "https://llm.acme.example/v1", "acme/gpt-5", 0, false},
		{"https://api.openai.com/v1", "https://api.openai.com/v1", "acme/gpt-5", 1.25, true},
	} {
		l := loadedAs(named(tt.caller), nil)
		l.all = append(l.all, named(tt.used))
		if usd, known := l.pricing(nil)(tt.ref, usage); known != tt.known || known && usd != tt.usd {
			t.Errorf("%+v: %v, %v", tt, usd, known)
		}
	}
}

// Of two providers of one name whose prices differ, the dearer one counts, whichever is used by
// the other.
func TestPricesOfOneNameAreTheDearest(t *testing.T) {
	named := func(url string) *workflows.Workflow {
		return &workflows.Workflow{Providers: map[string]workflows.Endpoint{"acme": {API: apiChat, BaseURL: url}}}
	}
	given := providers.Prices{"openai/m": {Input: 7}, "deepseek/m": {Input: 3}}
	const openai, deepseek = "https://api.openai.com/v1", "https://api.deepseek.com/v1"
	for _, all := range [][]string{{openai, deepseek}, {deepseek, openai}, {deepseek, openai, deepseek}} {
		l := loadedAs(named(all[0]), nil)
		for _, url := range all[1:] {
			l.all = append(l.all, named(url))
		}
		if usd, known := l.pricing(given)("acme/m", providers.Usage{InputTokens: 1_000_000}); usd != 7 || !known {
			t.Errorf("%q: %v, %v", all, usd, known)
		}
	}
}
