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
	if hour := p.hour(); hour > 2*p.Input || hour < p.orInput(p.CacheWrite) {
		t.Errorf("%s: to be kept for an hour costs %v of %v", ref, hour, p.Input)
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

// The models that the three large services sell now can be asked within a cost limit, and each line
// that is newer than the rest says where it is from.
func TestCurrentModels(t *testing.T) {
	for _, ref := range []string{
		"openai/gpt-6.2-astra", "openai/gpt-6.2-sol", "openai/gpt-6.1-terra", "openai/gpt-6-luna", "openai/gpt-5.6-terra",
		"anthropic/claude-fable-5-2", "anthropic/claude-opus-5-5", "anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5",
		"google/gemini-3.8-flash", "google/gemini-3.7-flash",
	} {
		known, _ := Lookup(ref)
		if known.Price == nil || known.Reasoning == nil || !slices.Contains(known.Modalities, "image") {
			t.Errorf("%s: %+v", ref, known)
		}
	}
	for _, line := range table().models {
		var from struct{ Source, Date string }
		readLine(line, &from)
		if _, err := time.Parse(time.DateOnly, from.Date); (from.Source != "" || from.Date != "") && (err != nil || !strings.HasPrefix(from.Source, "https://")) {
			t.Errorf("line %s", line)
		}
	}
}

// TestTableLines: each line can be found by how it begins, and is there once.
func TestTableLines(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(tableFile, "\n"), "\n")
	seen := map[string]bool{}
	for _, line := range lines[1:] {
		begin, _, _ := strings.Cut(line, ",")
		name, _, _ := strings.Cut(strings.TrimPrefix(begin, `{"`), `"`)
		if name != "vendor" && name != "model" || seen[begin] || !strings.HasPrefix(begin, `{"`+name+`": "`) {
			t.Errorf("line %s", line)
		}
		seen[begin] = true
	}
	if found := len(KnownModels()); found < len(lines)-20 {
		t.Errorf("%d models in %d lines", found, len(lines))
	}
	for _, ref := range []string{"", "openai", "openai/", "openai/gpt-5\"", "openai/gpt", "no/such"} {
		if _, found := Lookup(ref); found {
			t.Errorf("%q is known", ref)
		}
	}
	if own, found := Lookup("openai-chat/gpt-4.1"); !found || own.Context == 0 {
		t.Errorf("openai-chat: %+v", own)
	}
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		Lookup("openai-chat/text-1")
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
