package tools

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	for _, s := range []string{"short", strings.Repeat("x", 5000), strings.Repeat("é", 5000), "x" + strings.Repeat("é", 5000), strings.Repeat("😀", 500)} {
		got := shorten(s)
		if len(got) > 510 || !utf8.ValidString(got) || !strings.HasPrefix(s, strings.TrimSuffix(got, "…")) {
			t.Errorf("%.20q became %q", s, got)
		}
	}
}

// TestLongLinesAreCutAtCharacters has lines for which the bytes, not the
// characters, are too many.
func TestLongLinesAreCutAtCharacters(t *testing.T) {
	for _, line := range []string{strings.Repeat("é", 100), "x" + strings.Repeat("é", 100), strings.Repeat("😀", 50), strings.Repeat("\xff é", 40)} {
		o := NewOutput(OutputOptions{Limits: Limits{Bytes: 60}})
		text := writeBy(t, o, line+"\n", 7)
		if !text.Truncated || !utf8.ValidString(text.Content) || !strings.Contains(text.Content, " bytes of this line left out\n… long lines are shortened") {
			t.Errorf("%.12q became %q", line, text.Content)
		}
		if first, _, _ := strings.Cut(text.Content, "\n"); len(first)+1 > 60 {
			t.Errorf("%.12q has %d bytes: %q", line, len(first), first)
		}
	}
}

func TestUnknownToolOfNone(t *testing.T) {
	answer, _ := newSet(t, SetOptions{}).Prepare("read", nil).Run(t.Context())
	if want := `There is no tool "read"; there are no tools.`; answer.Content != want {
		t.Errorf("got %q, want %q", answer.Content, want)
	}
}

func TestHugeNumbers(t *testing.T) {
	schema, err := CompileSchema(json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := validate(schema, `{"a": [{"b": [1, 1e9999]}]}`); len(got) != 1 || got[0].String() != "the number 1e9999 is out of range" {
		t.Errorf("got %v", got)
	}
}
