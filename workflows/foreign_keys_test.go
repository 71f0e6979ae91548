package workflows

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestForeignWords shows that no key of the format is taken for a word of other
// tools, and that each hint that names a key names one that exists.
func TestForeignWords(t *testing.T) {
	f := newFormat()
	known := append(append(append(f.file.keys(), f.step.keys()...), stopTable().keys()...), append(retryTable().keys(), budgetTable().keys()...)...)
	known = append(known, "stop", "params", "retry", "on_error: continue", "max_output_tokens")
	tests := []struct {
		what  string
		words map[string]string
		keys  []string
	}{
		{"file", foreignWords()["workflow"], f.file.keys()},
		{"step", foreignWords()["step"], f.step.keys()},
	}
	for _, tt := range tests {
		for _, word := range slices.Sorted(maps.Keys(tt.words)) {
			if slices.Contains(tt.keys, word) {
				t.Errorf("%s: %q is a key", tt.what, word)
			}
			for i, name := range strings.Split(tt.words[word], `"`) {
				if i%2 == 1 && !slices.Contains(known, name) {
					t.Errorf("%s: for %q the hint names %q, which there is not", tt.what, word, name)
				}
			}
		}
	}
}

// TestWhere shows where a key is said to stand that an object does not have.
func TestWhere(t *testing.T) {
	tests := []struct{ object, key, want string }{
		{"step", "temperature", "here it is part of params: {temperature: …}"},
		{"step", "max_turns", "here it is part of stop: {max_turns: …}"},
		{"step", "budget_tokens", "here it is part of params: {reasoning: {budget_tokens: …}}"},
		{"step", "secrets", "here it is a key of the whole file"},
		{"workflow", "foreach", `here it is a key of a step, under "steps"`},
		{"workflow", "base_url", "here it is part of providers: {NAME: {base_url: …}}"},
		{"workflow", "max_calls", "here it is part of tools: [{max_calls: …}]"},
		{"workflow", "temprature", `did you mean "temperature"? It is part of params: {temperature: …}`},
		{"params", "model", "here it is a key of the whole file"},
		{"step", "nothing_like_it", ""},
		{"step", "a", ""},
		{"case", "temperature", ""},
	}
	for _, tt := range tests {
		if got := whereHint(tt.object, tt.key); got != tt.want {
			t.Errorf("%s in %s: %q, want %q", tt.key, tt.object, got, tt.want)
		}
	}
}
