package suite

import (
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// TestReplaceMark puts values in the place of marks; what comes out is YAML of the
// same value.
func TestReplaceMark(t *testing.T) {
	for _, test := range []struct {
		line   string
		column int
		value  any
		want   string
	}{
		{"status: ${{ seen }}\n", 9, "succeeded", "status: succeeded\n"},
		{"status: ${{ seen }}\n", 9, "true", "status: \"true\"\n"},
		{"count: \"${{ seen }}\" # calls\n", 8, 2, "count: 2 # calls\n"},
		{"x: {a: '${{seen}}', b: 1}\n", 8, "a\nb", "x: {a: \"a\\nb\", b: 1}\n"},
		{"  - text: ${{ seen }}\n", 11, "a\n\n b\n", "  - text: |\n      a\n\n       b\n"},
		{"text: ${{ seen }}\n", 7, "a\nb", "text: |-\n  a\n  b\n"},
		{"text: ${{ seen }}\n", 7, " a\nb", "text: \" a\\nb\"\n"},
		{"text: ${{ seen }}\n", 7, "a\n\n", "text: \"a\\n\\n\"\n"},
		{"text: ${{ seen }}\n", 7, "a\r\nb\x1b", "text: \"a\\r\\nb\\u001b\"\n"},
		{"out: ${{ seen }}\n", 6, []any{1, "x", nil}, "out: [1,\"x\",null]\n"},
		{"out: ${{ seen }}\n", 6, "- # ü: x", "out: \"- # ü: x\"\n"},
	} {
		got, ok := replaceMark(test.line, test.column, test.value)
		if !ok || got != test.want {
			t.Errorf("%q with %q:\n%q, want\n%q", test.line, test.value, got, test.want)
		}
	}
	if _, ok := replaceMark("text: seen\n", 7, "x"); ok {
		t.Error("what is no mark was replaced")
	}
}

// FuzzAsBlock reads blocks again.
func FuzzAsBlock(f *testing.F) {
	for _, text := range []string{"a\nb", "a\n", "a\n\tb\n\nc", "# x\n---\n", "é\n\u00a0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		block, ok := asBlock(text, 2)
		if !ok {
			return
		}
		var read map[string]map[string]string
		if err := yaml.Unmarshal([]byte("x:\n  text: "+block+"\n"), &read); err != nil {
			t.Fatalf("%q: %v", block, err)
		}
		if diff := cmp.Diff(text, read["x"]["text"]); diff != "" {
			t.Errorf("%q came back as %q", text, read["x"]["text"])
		}
	})
}
