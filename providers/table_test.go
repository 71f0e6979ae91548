package providers

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTableTellsWhereItIsFrom(t *testing.T) {
	date, source := TableDate()
	if _, err := time.Parse(time.DateOnly, date); err != nil || !strings.Contains(source, "https://") {
		t.Errorf("the table is from %q, %q", date, source)
	}
}

// What every line of the table must hold to. A mistake in a price is money.
func TestTable(t *testing.T) {
	refs := KnownModels()
	if len(refs) < 100 || !slices.IsSorted(refs) {
		t.Fatalf("%d models", len(refs))
	}
	perVendor := map[string]int{}
	for _, ref := range refs {
		known, found := Lookup(ref)
		vendor, _, _ := strings.Cut(ref, "/")
		perVendor[vendor]++
		if !found || known.Context < 1000 || known.MaxOutput <= 0 {
			t.Errorf("%s: %+v", ref, known)
		}
		if known.Price != nil {
			checkPrice(t, ref, *known.Price)
		}
		if r := known.Reasoning; r != nil && (r.Most > 0 && r.Most < r.Least || !r.Budget && r.Least+r.Most > 0) {
			t.Errorf("%s: %+v", ref, *r)
		}
	}
	for _, vendor := range []string{"openai", "anthropic", "google", "deepseek", "mistral", "xai", "groq", "openrouter"} {
		if perVendor[vendor] == 0 {
			t.Errorf("no model of %s", vendor)
		}
	}
	t.Logf("%d models: %v", len(refs), perVendor)
}

func checkPrice(t *testing.T, ref string, p Price) {
	t.Helper()
	if p.Input <= 0 || p.Output < p.Input {
		t.Errorf("%s: %+v", ref, p)
	}
	if cached := p.orInput(p.CachedInput); cached < 0 || cached > p.Input {
		t.Errorf("%s: what is cached costs %v of %v", ref, cached, p.Input)
	}
	if write := p.orInput(p.CacheWrite); write > 2*p.Input {
		t.Errorf("%s: to be kept costs %v of %v", ref, write, p.Input)
	}
	least := int64(0)
	for _, tier := range p.Above {
		if tier.Tokens <= least || tier.Input <= p.Input {
			t.Errorf("%s: tier %+v", ref, tier)
		}
		least = tier.Tokens
		checkPrice(t, ref, tier.Price)
	}
}

func TestVendorAt(t *testing.T) {
	for url, want := range map[string]string{
		"https://api.deepseek.com/v1": "deepseek", "https://API.X.AI/v1": "xai", "https://api.groq.com/openai/v1": "groq",
		"https://openrouter.ai/api/v1": "openrouter", "https://api.deepseek.com.example/v1": "", "http://localhost:11434/v1": "",
		"": "", "://": "",
	} {
		if got := VendorAt(url); got != want {
			t.Errorf("%q is %q, want %q", url, got, want)
		}
	}
}
