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
	known := append(append(append(f.file.keys(), f.step.keys()...), f.stop.keys()...), append(f.retry.keys(), f.budget.keys()...)...)
	known = append(known, "stop", "params", "retry", "on_error: continue", "max_output_tokens")
	tests := []struct {
		what  string
		words map[string]string
		keys  []string
	}{
		{"file", foreignToFile(), f.file.keys()},
		{"step", foreignToStep(), f.step.keys()},
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

// TestKeysBelow shows that what is said to stand under a key does.
func TestKeysBelow(t *testing.T) {
	f := newFormat()
	keys := map[string][]string{`under "stop"`: f.stop.keys(), `under "params"`: f.params.keys(), `under "retry"`: f.retry.keys()}
	for word, place := range keysBelow() {
		if !slices.Contains(keys[place], word) {
			t.Errorf("%q is not %s", word, place)
		}
	}
}
