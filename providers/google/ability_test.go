package google

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// TestGenerationsAgreeWithTheTable compares what a name tells of thinking with what
// the table of models says: which models take a budget, and in which bounds.
func TestGenerationsAgreeWithTheTable(t *testing.T) {
	compared := 0
	for _, ref := range providers.KnownModels() {
		model, ours := strings.CutPrefix(ref, "google/")
		known, _ := providers.Lookup(ref)
		r := known.Reasoning
		if !ours || !strings.HasPrefix(model, "gemini-") || r == nil || !r.Budget && len(r.Efforts) == 0 {
			continue
		}
		compared++
		if isOlder(model) != r.Budget || isNewest(model) == r.Budget {
			t.Errorf("%s: older %v, newest %v, the table has %+v", model, isOlder(model), isNewest(model), *r)
		}
		if !r.Budget {
			continue
		}
		const far = 1 << 20
		if least, most := budget(model, "low", 1), budget(model, "low", far); r.Least > 1 && least != r.Least || r.Most > 0 && most != r.Most {
			t.Errorf("%s: a budget of %d to %d, the table has %+v", model, least, most, *r)
		}
	}
	if compared == 0 {
		t.Error("the table has no Gemini that thinks")
	}
}

func TestGeneration(t *testing.T) {
	for model, want := range map[string]float64{
		"gemini-2.5-pro": 2.5, "gemini-3-flash-preview": 3, "models/gemini-2.0-flash": 2, "publishers/google/models/Gemini-3.1-pro": 3.1,
		"gemini-flash-latest": 0, "gemma-3": 0, "gemini-": 0, "": 0, "gemini-x": 0,
	} {
		if got := generation(model); got != want {
			t.Errorf("%q: generation %v, want %v", model, got, want)
		}
	}
}
