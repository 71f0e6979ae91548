package steps

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

func TestOutputRead(t *testing.T) {
	tests := []struct {
		name  string
		kind  OutputKind
		text  string
		want  any
		wrong string // in the error
	}{
		{name: "text", text: "a\nb\n", want: "a\nb\n"},
		{name: "no lines", kind: OutputLines, text: "", want: []any{}},
		{name: "one line", kind: OutputLines, text: "a\n", want: []any{"a"}},
		{name: "empty lines count", kind: OutputLines, text: "a\n\nb\n\n", want: []any{"a", "", "b", ""}},
		{name: "carriage returns", kind: OutputLines, text: "a\r\nb", want: []any{"a", "b"}},
		{name: "integers stay exact", kind: OutputJSON, text: `[1, 9007199254740993, 1.5, 1e2, 12345678901234567890]`, want: []any{1, 9007199254740993, 1.5, 100.0, json.Number("12345678901234567890")}},
		{name: "null", kind: OutputJSON, text: "null", want: nil},
		{name: "blanks around", kind: OutputJSON, text: " {\"a\": [true]}\n", want: map[string]any{"a": []any{true}}},
		{name: "empty", kind: OutputJSON, text: " \n", wrong: "it is empty"},
		{name: "no JSON", kind: OutputJSON, text: "{\n\"a\": x}", wrong: "line 2"},
		{name: "cut off", kind: OutputJSON, text: `{"a": [1`, wrong: "ends before"},
		{name: "two values", kind: OutputJSON, text: "{}\n{}", wrong: "line 2: more text"},
		{name: "JSON and words", kind: OutputJSON, text: `{} is the answer`, wrong: "more text"},
		{name: "too many lines", kind: OutputLines, text: strings.Repeat("\n", maxValues+1) + "x", wrong: "the limit is 2000000"},
		{name: "too many values", kind: OutputJSON, text: "[" + strings.Repeat("0,", maxValues) + "0]", wrong: "more than 2000000"},
		{name: "commas in a string", kind: OutputJSON, text: `"\"` + strings.Repeat(",", maxValues+1) + `"`, want: `"` + strings.Repeat(",", maxValues+1)},
		{name: "too deep", kind: OutputJSON, text: strings.Repeat("[", 20000) + strings.Repeat("]", 20000), wrong: "JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Output{Kind: tt.kind}.Read(tt.text)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("error %v, want one with %q", err, tt.wrong)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestUnfenced(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no fence", "plain", "plain"},
		{"the whole text", "```\n1\n```", "1"},
		{"the whole text, whatever its label", "\n```yaml\n1\n```\n", "1"},
		{"json among words", "Here:\n```json\n{\n}\n```\nDone.", "{\n}"},
		{"json beside another block", "```sh\nls\n```\n```JSON\n1\n```", "1"},
		{"two of json", "```json\n1\n```\n```json\n2\n```", "```json\n1\n```\n```json\n2\n```"},
		{"an unmarked one among words", "Run:\n```\n1\n```", "Run:\n```\n1\n```"},
		{"words after", "```\n1\n```\nDone.", "```\n1\n```\nDone."},
		{"never closed", "```json\n1", "```json\n1"},
		{"longer fence", "````json\n\"```\"\n````", "\"```\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := unfenced(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// What is read as JSON is what encoding/json reads, and can be written again.
func FuzzOutput(f *testing.F) {
	for _, seed := range []string{
		"", "a\nb\r\n\n", `{"a":[1,2.5,"x",null,true]}`, `{"result":[1]}`, "```json\n{}\n```", "```\n1\n```\nx",
		`1e999`, `[[[[`, "{}{}", "\xff\xfe", `{"a":1,"a":2}`, "````\n```\n````",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if value, err := lines(text); err != nil || len(value.([]any)) > strings.Count(text, "\n")+1 {
			t.Errorf("lines %v: %v", value, err)
		}
		if inner := unfenced(text); !strings.Contains(text, inner) {
			t.Errorf("%q is no part of the text", inner)
		}
		value, err := decode(text, nil)
		if (err == nil) != json.Valid([]byte(text)) {
			t.Fatalf("error %v, but json.Valid is %t", err, err != nil)
		}
		if err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Errorf("error is no text: %q", err)
			}
			return
		}
		first := rewritten(t, value) // 1.0 comes back as 1, -0.0 as 0, and then no more changes
		if second := rewritten(t, first); !reflect.DeepEqual(first, second) {
			t.Errorf("%v written and read is %v", first, second)
		}
		f := newForm(Output{Kind: OutputSchema, Source: []byte(`{"type":"array"}`)}, true, nil)
		if _, err := f.parse(text); err != nil {
			t.Errorf("a form without a schema refuses %q: %v", text, err)
		}
	})
}

func rewritten(t *testing.T, value any) any {
	t.Helper()
	text, err := jsonline.Encode(value)
	if err != nil {
		t.Fatalf("written: %v", err)
	}
	back, err := decode(string(text), nil)
	if err != nil {
		t.Fatalf("read again: %v", err)
	}
	return back
}
