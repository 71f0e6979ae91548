package tree

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseJSON(t *testing.T) {
	tests := []struct {
		in   string
		want any
	}{
		{"1", 1},
		{"-9223372036854775808", -9223372036854775808},
		{"9223372036854775808", json.Number("9223372036854775808")},
		{"1.0", 1.0},
		{"1e3", 1000.0},
		{`[null, true, "x", {"a": [2]}]`, []any{nil, true, "x", map[string]any{"a": []any{2}}}},
	}
	for _, tt := range tests {
		got, err := ParseJSON(tt.in)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", tt.in, err, diff)
		}
	}
}

func TestTextOf(t *testing.T) {
	tests := []struct {
		in   any
		want string
	}{
		{nil, ""}, {"<a>", "<a>"}, {1, "1"}, {1.5, "1.5"}, {true, "true"}, {json.Number("12345678901234567890"), "12345678901234567890"},
		{[]string{"a", "<b>"}, `["a","<b>"]`}, {map[string]any{"b": 1, "a": nil}, `{"a":null,"b":1}`}, {[]any{}, "[]"},
	}
	for _, tt := range tests {
		if got, err := TextOf(tt.in); got != tt.want || err != nil {
			t.Errorf("%v: got %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}
