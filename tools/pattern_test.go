package tools

import (
	"slices"
	"testing"
)

func TestRepeats(t *testing.T) {
	for text, want := range map[string][]int32{
		"a":        {1},
		"aaaa":     {4, 3, 2, 1},
		"abcd":     {4, 0, 0, 0},
		"ababab":   {6, 0, 4, 0, 2, 0},
		"aabaaab":  {7, 1, 0, 2, 3, 1, 0},
		"abacabad": {8, 0, 1, 0, 3, 0, 1, 0},
	} {
		if got := repeats(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// TestFollow: what is known of one beginning of a secret is used for the next, and
// comes to the same.
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
