package tree

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// TestReportIsBounded shows that messages are shortened, and that there are only
// so many.
func TestReportIsBounded(t *testing.T) {
	r := &Report{}
	src := NewSource("f", "x")
	for range maxDiagnostics + 10 {
		n := &Node{Src: src, Line: 1, Column: len(r.Found) + 1, Kind: KindString, Text: "x"}
		r.Errorf(n, diagnostic.CodeKey, "%s", strings.Repeat("m", 2*maxMessage)).Hint = strings.Repeat("h", 2*maxMessage)
	}
	ds := r.Diagnostics()
	if len(ds) != maxDiagnostics || !r.Full() {
		t.Fatalf("%d diagnostics", len(ds))
	}
	if len([]rune(ds[0].Message)) != maxMessage+1 || len([]rune(ds[0].Hint)) != maxMessage+1 {
		t.Errorf("%d and %d characters", len(ds[0].Message), len(ds[0].Hint))
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 16_777_216: "16,777,216", 100_000: "100,000"} {
		if got := quantity.Thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestSuggestions(t *testing.T) {
	tests := []struct {
		name       string
		candidates []string
		want       string
	}{
		{"biuld", []string{"build", "test"}, `did you mean "build"?`},
		{"titel", []string{"title", "words"}, `did you mean "title"?`},
		{"Prompt", []string{"prompt"}, `did you mean "prompt"?`},
		{"xyz", []string{"b", "a"}, `known: "a", "b"`},
		{"xyz", nil, ""},
	}
	for _, tt := range tests {
		if got := DidYouMean(tt.name, tt.candidates); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
