package workflows

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/format"
)

// TestForeignWords shows that none of the words of other tools for an object is a key there, and that a hint names only keys that exist.
func TestForeignWords(t *testing.T) {
	w := &format.Schema{Definitions: map[string]any{}}
	format.Define(w, newFormat().file)
	format.Define(w, scriptTable())
	keys, known := map[string][]string{"": nil, "tools": nil, "fields": nil, "values": nil, "types": nil}, []string{"on_error: continue", "output: json", "exit_code"}
	for name, definition := range w.Definitions {
		of, _ := definition.(map[string]any)["properties"].(map[string]any)
		keys[name] = slices.Sorted(maps.Keys(of))
		known = append(known, keys[name]...)
	}
	for section, own := range keys {
		for word, hint := range format.Foreign(section) {
			if slices.Contains(own, word) {
				t.Errorf("%s: %q is a key", section, word)
			}
			for i, name := range strings.Split(hint, `"`) {
				if i%2 == 1 && !slices.Contains(known, name) {
					t.Errorf("%s: for %q the hint names %q, which there is not", section, word, name)
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
