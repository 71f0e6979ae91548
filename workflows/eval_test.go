package workflows

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// compileForTest compiles one template of a workflow with a few inputs.
func compileForTest(t *testing.T, text string) (*Template, *tree.Report) {
	t.Helper()
	src := "name: x\ninputs:\n  n: {type: integer, default: 3}\n  s: {type: string, default: hi}\n  list: {type: array, items: {type: string}, default: [a, b]}\n  data: {type: object, default: {}}\n" +
		"steps:\n  - run: \"true\"\noutputs:\n  o: |-\n    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
	l := newLoader(Options{})
	w := l.parse("x.yaml", []byte(src))
	if w == nil || len(w.Outputs) != 1 {
		return nil, l.Report
	}
	v := w.Outputs[0].Value
	if v.template == nil {
		return literalTemplate(v.literal.(string)), l.Report
	}
	return v.template, l.Report
}

func literalTemplate(text string) *Template {
	n := &tree.Node{Src: tree.NewSource("x", text), Text: text, Kind: tree.KindString, Line: 1, Column: 1}
	return &Template{node: n, parts: []part{{text: text}}}
}

func testEnv() Env {
	return Env{
		"inputs":   map[string]any{"n": 3, "s": "hi", "list": []any{"a", "b"}, "data": map[string]any{"big": "x"}},
		"env":      map[string]any{},
		"run":      map[string]any{"id": "r1", "dir": "/r"},
		"workflow": map[string]any{"name": "x", "dir": "."},
		"steps":    map[string]any{},
		"file":     func(string) (string, error) { return "content", nil },
		"glob":     func(string) ([]string, error) { return []string{"a.go", "b.go"}, nil },
	}
}

func TestTemplateText(t *testing.T) {
	tests := []struct{ what, in, want string }{
		{"plain", "hello", "hello"},
		{"one value", "${{ inputs.s }}", "hi"},
		{"mixed", "a ${{ inputs.s }} b ${{ inputs.n }}", "a hi b 3"},
		{"literal marks", "$${{ inputs.s }}", "${{ inputs.s }}"},
		{"marks in a string", `${{ "}}" + inputs.s }}`, "}}hi"},
		{"map literal", `${{ {"a": {"b": 1}}.a.b }}`, "1"},
		{"list", "${{ inputs.list }}!", `["a","b"]!`},
		{"functions", `${{ join(inputs.list, "-") }}`, "a-b"},
		{"replace", `${{ replace("a/b", "/", "_") }}`, "a_b"},
		{"replace any", `${{ map(inputs.list, replace(#, "a", "z")) | join(",") }}`, "z,b"},
		{"json both ways", `${{ fromJSON(toJSON(inputs.list))[1] }}`, "b"},
		{"exact integer", `${{ fromJSON("{\"id\": 12345678901234567890}").id }}`, "12345678901234567890"},
		{"exact int64", `${{ fromJSON("9007199254740993") }}`, "9007199254740993"},
		{"format", `${{ format("{0} and {{{1}}}", "x", 2) }}`, "x and {2}"},
		{"hash", `${{ hash("abc") }}`, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"html stays", `${{ toJSON("<a&b>") }}`, `"<a&b>"`},
		{"nil", "[${{ nil }}]", "[]"},
		{"float", "${{ 1.5 * 2 }}", "3"},
		{"file", `${{ file("x") }}`, "content"},
		{"glob", `${{ len(glob("*.go")) }}`, "2"},
		{"predicate", `${{ map(1..3, # * 2) }}`, "[2,4,6]"},
		{"reduce", `${{ reduce(1..4, #acc + #, 0) }}`, "10"},
		{"any plus", `${{ inputs.data.big + "y" }}`, "xy"},
		{"equality of lists", `${{ inputs.list == ["a", "b"] }} ${{ inputs.list != ["a"] }}`, "true true"},
		{"in", `${{ "a" in inputs.list }} ${{ ["a"] in [["a"], ["b"]] }} ${{ "n" in inputs }}`, "true true true"},
		{"slice", `${{ inputs.list[:1] }}`, `["a"]`},
		{"coalesce", `${{ inputs.data.missing ?? "d" }}`, "d"},
		{"uniq concat flatten", `${{ uniq(concat(inputs.list, inputs.list)) }}${{ flatten([[1], [[2]]]) }}`, `["a","b"][1,2]`},
		{"lists that come out empty", `${{ uniq([]) }}${{ concat([], []) }}${{ flatten([[]]) }}`, `[][][]`},
		{"string", `${{ string(12) + upper("x") + lower("Y") }}`, "12Xy"},
		{"split", `${{ split("a,b", ",")[1] }}`, "b"},
		{"let", `${{ let x = inputs.n; x + x }}`, "6"},
		{"ternary", `${{ inputs.n > 1 ? "many" : "one" }}`, "many"},
		{"pipes", `${{ inputs.s | upper() }}`, "HI"},
		{"group", `${{ sortBy([{"a": 2}, {"a": 1}], .a)[0].a }}`, "1"},
		{"multi-line", "${{ inputs.n\n  + 1 }}", "4"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			template, r := compileForTest(t, tt.in)
			for _, d := range r.Found {
				t.Fatal(d.Render())
			}
			got, err := template.Text(testEnv())
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestExpressionLimits shows that no expression takes more than its share of
// memory or time, however it is built.
func TestExpressionLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it evaluates up to every limit")
	}
	tests := []struct{ what, in string }{
		{"doubling", `${{ reduce(1..60, #acc + #acc, "aa") }}`},
		{"doubling of any", `${{ reduce(1..60, #acc + #acc, inputs.data.big) }}`},
		{"repeat", `${{ repeat(repeat("a", 1000000), 1000000) }}`},
		{"replace", `${{ replace(repeat("a", 1000000), "", repeat("b", 1000000)) }}`},
		{"nested loops", `${{ len(filter(1..3000, all(1..3000, all(1..3000, true)))) }}`},
		{"join", `${{ join(map(1..100000, repeat("a", 100000)), "") }}`},
		{"doubling of lists", `${{ reduce(1..60, concat(#acc, #acc), [1]) }}`},
		{"flat doubling", `${{ flatten(reduce(1..60, [#acc, #acc], [1])) }}`},
		{"json of a doubled list", `${{ toJSON(reduce(1..60, [#acc, #acc], [1])) }}`},
		{"text of a doubled list", `${{ string(reduce(1..60, [#acc, #acc], [1])) }}`},
		{"equality of doubled lists", `${{ reduce(1..60, [#acc, #acc], [1]) == reduce(1..60, [#acc, #acc], [1]) }}`},
		{"membership", `${{ reduce(1..60, [#acc, #acc], [1]) in [reduce(1..60, [#acc, #acc], [1])] }}`},
		{"big range", `${{ len(1..100000000) }}`},
		{"format", `${{ format("{0}{0}{0}{0}{0}{0}{0}{0}", repeat("a", 30000000)) }}`},
		{"hash of a doubled list", `${{ hash(reduce(1..60, [#acc, #acc], [1])) }}`},
		{"a doubled list itself", `${{ reduce(1..60, [#acc, #acc], [1]) }}`},
		{"limit", `${{ reduce(1..200, limit(#acc + #acc, 100000000), "aaaa") }}`},
		{"growing base64", `${{ reduce(1..200, toBase64(#acc), "aaaa") }}`},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			template, r := compileForTest(t, tt.in)
			for _, d := range r.Found {
				t.Fatal(d.Render())
			}
			if text, err := template.Text(testEnv()); err == nil {
				t.Errorf("no error, and %d bytes", len(text))
			}
		})
	}
}
