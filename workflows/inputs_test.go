package workflows

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const inputFile = `name: x
inputs:
  repo:  {type: string, description: What to clone}
  depth: {type: integer, minimum: 1, default: 1}
  tags:  {type: array, items: {type: string}, default: [a]}
  opts:  {type: object, properties: {deep: {type: boolean}}, required: [deep], additionalProperties: false, default: {deep: true}}
  any:   {default: null}
steps: [{run: x}]
`

func parseRight(t *testing.T, src string) *Workflow {
	t.Helper()
	w, ds := Parse("x.yaml", []byte(src), Options{Tools: builtInTools()})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	return w
}

func TestCheckInputs(t *testing.T) {
	w := parseRight(t, inputFile)
	tests := []struct {
		what  string
		given map[string]any
		want  map[string]any
		errs  []string
	}{
		{
			what:  "defaults",
			given: map[string]any{"repo": "r"},
			want:  map[string]any{"repo": "r", "depth": 1, "tags": []any{"a"}, "opts": map[string]any{"deep": true}, "any": nil},
		},
		{
			what:  "all given",
			given: map[string]any{"repo": "r", "depth": 2, "tags": []any{}, "opts": map[string]any{"deep": false}, "any": 1.5},
			want:  map[string]any{"repo": "r", "depth": 2, "tags": []any{}, "opts": map[string]any{"deep": false}, "any": 1.5},
		},
		{
			what:  "every problem",
			given: map[string]any{"dpeth": 1, "depth": 0, "tags": []any{1, "b", 2}, "opts": map[string]any{"deeep": true}},
			errs:  []string{`no input "dpeth" (did you mean "depth"?)`, `the required input "repo" is missing: What to clone`, `input "depth": `, `input "tags" at /0: `, `input "tags" at /2: `, `input "opts": `},
		},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			got, err := w.CheckInputs(tt.given)
			if len(tt.errs) == 0 {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				return
			}
			for _, want := range tt.errs {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v does not have %q", err, want)
				}
			}
		})
	}
}

// TestDefaultsAreCopied shows that who changes a value changes no default.
func TestDefaultsAreCopied(t *testing.T) {
	w := parseRight(t, inputFile)
	for range 2 {
		values, err := w.CheckInputs(map[string]any{"repo": "r"})
		if err != nil {
			t.Fatal(err)
		}
		if got := values["tags"].([]any)[0]; got != "a" {
			t.Fatalf("the default has become %v", got)
		}
		values["tags"].([]any)[0] = "changed"
		values["opts"].(map[string]any)["deep"] = "changed"
	}
}

func TestParseInput(t *testing.T) {
	w := parseRight(t, inputFile)
	tests := []struct {
		name, text string
		want       any
		err        string
	}{
		{"repo", "42", "42", ""},
		{"depth", "42", 42, ""},
		{"depth", "9007199254740993", 9007199254740993, ""},
		{"depth", "99999999999999999999", json.Number("99999999999999999999"), ""},
		{"tags", `["a", "b"]`, []any{"a", "b"}, ""},
		{"opts", `{"deep": true}`, map[string]any{"deep": true}, ""},
		{"any", "plain text", "plain text", ""},
		{"any", "1.5", 1.5, ""},
		{"depth", "1e10000000", json.Number("1e10000000"), ""},
		{"depth", "two", nil, `input "depth": expected integer, got "two"`},
		{"depth", "1 2", nil, `input "depth"`},
		{"nope", "1", nil, `no input "nope"`},
	}
	for _, tt := range tests {
		t.Run(tt.name+"="+tt.text, func(t *testing.T) {
			got, err := w.ParseInput(tt.name, tt.text)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
}

// TestHugeInputs shows that numbers that would take any amount of memory are
// refused as they are written.
func TestHugeInputs(t *testing.T) {
	w, ds := Parse("x.yaml", []byte("name: x\ninputs:\n  n: {type: number, multipleOf: 0.1, maximum: 1.0e+300}\nsteps: [{run: echo}]\n"), Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	for text, want := range map[string]string{
		"1e10000000": "out of range", "-1e10000000": "out of range", "1e400": "want at most 1e+300", "1e-10000000": "",
		strings.Repeat("9", 2000): "out of range", "12345678901234567890.1": "",
	} {
		value, err := w.ParseInput("n", text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.CheckInputs(map[string]any{"n": value})
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%.20s: got %q, want %q in it", text, got, want)
		}
	}
}

func TestDecodeData(t *testing.T) {
	want := map[string]any{"a": 1, "b": []any{1.5, true, nil, "x"}, "big": json.Number("18446744073709551616"), "c": map[string]any{"d": "e"}}
	for what, src := range map[string]string{
		"JSON": `{"a": 1, "b": [1.5, true, null, "x"], "big": 18446744073709551616, "c": {"d": "e"}}`,
		"YAML": "a: 1\nb: [1.5, true, ~, x]\nbig: 18446744073709551616\nc: {d: e}\n",
		"BOM":  "\ufeffa: 1\r\nb: [1.5, true, ~, x]\r\nbig: 18446744073709551616\r\nc: {d: e}\r\n",
	} {
		got, ds := DecodeData("in", []byte(src))
		if diff := cmp.Diff(want, got); diff != "" || len(ds) > 0 {
			t.Errorf("%s: %v %s", what, ds, diff)
		}
	}
	if _, ds := DecodeData("in.yaml", []byte("a: 1\na: 2\n")); !ds.HasErrors() || !strings.HasPrefix(ds.Error(), "in.yaml:2:1: ") {
		t.Errorf("duplicate keys: %v", ds)
	}
}
