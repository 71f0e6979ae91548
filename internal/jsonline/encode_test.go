package jsonline

import "testing"

func TestEncode(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{map[string]any{"b": 1, "a": "<&>\n"}, `{"a":"<&>\n","b":1}`},
		{[]string(nil), "null"},
		{"a\xffb", `"a` + "\\ufffd" + `b"`},
	} {
		got, err := Encode(tt.value)
		if err != nil || string(got) != tt.want {
			t.Errorf("%#v: got %s, %v; want %s", tt.value, got, err, tt.want)
		}
	}
	if got, err := Encode(func() {}); err == nil {
		t.Errorf("a function is encoded as %s", got)
	}
}

func TestIndented(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{"a\nb", "a\nb"},
		{map[string]any{"b": 1.5, "a": "<"}, "{\n  \"a\": \"<\",\n  \"b\": 1.5\n}"},
		{nil, "null"},
	} {
		if got := Indented(tt.value); got != tt.want {
			t.Errorf("%#v: got %q, want %q", tt.value, got, tt.want)
		}
	}
}
