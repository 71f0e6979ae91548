package tools

import (
	"io"
	"strings"
	"testing"
)

// TestFollow: the beginnings of a secret in each other hide none.
func TestFollow(t *testing.T) {
	const secret = "abababababababababababab-abx"
	mask := NewMask([]string{secret})
	for name, in := range map[string]string{
		"as it is":                      "abab" + secret,
		"begun over and over":           secret[:24] + secret[:26] + secret,
		"in hex, in pieces":             "6162\n" + "61 62 61 62 61 62\n 61626162 61:62 6162616261626162616261 62 2d6162 78",
		"in hex, over numbers of lines": "616261626162\n00001| 6162616261626162616261\n00002| 626162616261622d616278",
	} {
		if got, want := mask.String(in), maskAnew(mask, in); got != want || got == in {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestMaskOver: a text with so many beginnings of a secret that the search for it would take
// long is masked from there on, also what is written later.
func TestMaskOver(t *testing.T) {
	secret := strings.Repeat("ab", 2000) + "-and-more"
	mask := NewMask([]string{secret})
	in := strings.Repeat(secret[:3999]+"x", 100) + secret
	if got := mask.String(in); strings.Contains(got, "more") || !strings.HasSuffix(got, masked) {
		t.Errorf("got %d bytes, which end in %q", len(got), got[max(0, len(got)-20):])
	}
	var out strings.Builder
	w := mask.Writer(&out)
	for _, part := range []string{in[:len(in)-6], in[len(in)-6:], " and the rest"} {
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || strings.Contains(out.String(), "more") || !strings.HasSuffix(out.String(), masked) {
		t.Errorf("got %d bytes, %v", out.Len(), err)
	}
}
