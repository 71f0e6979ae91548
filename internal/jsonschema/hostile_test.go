package jsonschema

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
)

// within fails a test whose work takes longer than any right answer may.
func within(t *testing.T, limit time.Duration, work func()) {
	t.Helper()
	if took := testkit.CPUTime(work); took > limit {
		t.Errorf("took %v", took)
	}
}

// doubling is a schema in which each part applies the one before it twice.
func doubling(keyword string, levels int) string {
	var b strings.Builder
	b.WriteString(`{"$defs": {"p0": {"type": "string"}`)
	for i := range levels {
		fmt.Fprintf(&b, `, "p%d": {"%s": [{"$ref": "#/$defs/p%d"}, {"$ref": "#/$defs/p%d"}]}`, i+1, keyword, i, i)
	}
	fmt.Fprintf(&b, `}, "$ref": "#/$defs/p%d"}`, levels)
	return b.String()
}

func TestHostileSchemas(t *testing.T) {
	tests := []struct {
		name, schema, value string
		want                string // in the problems of either
	}{
		{"allOf doubles", doubling("allOf", 40), `"x"`, "too many steps"},
		{"anyOf doubles", doubling("anyOf", 40), `1`, "too many steps"},
		{"oneOf doubles", doubling("oneOf", 40), `1`, "too many steps"},
		{"a loop through not", `{"not": {"$ref": "#"}}`, `1`, "without end"},
		{"a loop through anyOf", `{"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}`, `1`, "without end"},
		{"a loop through if", `{"if": {"$ref": "#"}}`, `1`, "without end"},
		{"a loop through a dependency", `{"dependentSchemas": {"a": {"$ref": "#"}}}`, `{"a": 1}`, "without end"},
		{"deep", strings.Repeat(`{"not":`, 5000) + "true" + strings.Repeat("}", 5000), `1`, ""},
		{"patterns that repeat", `{"anyOf": [` + manyKeys(500, `{"pattern": "(?:[^a]{500}){2}%d"}`) + "]}", `1`, "patterns of the schema are too large"},
		{"a pattern nested", `{"pattern": "` + strings.Repeat("(", 5000) + strings.Repeat(")", 5000) + `"}`, `""`, ""},
		{"a pattern that backtracks elsewhere", `{"pattern": "^(a+)+$", "type": "integer"}`, `"` + strings.Repeat("a", 100_000) + `!"`, "want integer"},
		{"many patterns, many names", `{"patternProperties": {` + manyKeys(2000, `"%d": true`) + `}, "type": "object", "minProperties": 1}`, `{` + manyKeys(3000, `"x%d": 1`) + `, "y": 1}`, "too many steps"},
		{"many references that lead nowhere", `{"$defs": {` + manyKeys(20_000, `"name%d": true`) + `}, "anyOf": [` + manyKeys(20_000, `{"$ref": "#/$defs/nmae%d"}`) + `]}`, `1`, "leads nowhere"},
		{"many references", `{"$defs": {` + manyKeys(20_000, `"name%d": true`) + `}, "allOf": [` + manyKeys(20_000, `{"$ref": "#/$defs/name%d"}`) + `]}`, `1`, ""},
		{"a number in the schema", `{"maximum": 1e999999999}`, `1`, "out of range"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			within(t, 20*time.Second, func() {
				schema, problems := compileCase(test.schema)
				if schema != nil {
					problems = append(problems, validateCase(schema, test.value)...)
				}
				if got := joined(problems); !strings.Contains(got, test.want) || test.want == "" && got != "" {
					t.Errorf("got %.300q, want %q in it", got, test.want)
				}
			})
		})
	}
}

func manyKeys(n int, format string) string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(keys, ", ")
}

func TestHostileValues(t *testing.T) {
	tree := `{"$defs": {"l": {"uniqueItems": true, "items": {"$ref": "#/$defs/l"}}}, "$ref": "#/$defs/l"}`
	different := manyKeys(200_000, "%d")
	tests := []struct {
		name, schema, value string
		want                string
	}{
		{"deep", tree, strings.Repeat("[", 9000) + strings.Repeat("]", 9000), ""},
		{"deeper than JSON goes", tree, strings.Repeat("[", 1<<20), "no valid JSON"},
		{"many different items", `{"uniqueItems": true}`, "[" + different + "]", ""},
		{"many items, one of them twice", `{"uniqueItems": true}`, "[" + different + ", 1.99999e5]", "items 199999 and 200000 are equal"},
		{"many items against many values", `{"items": {"enum": [` + manyKeys(20_000, `"v%d"`) + `]}}`, "[" + manyKeys(20_000, `"v%d"`) + "]", ""},
		{"many names that are unknown", `{"properties": {` + manyKeys(20_000, `"name%d": true`) + `}, "additionalProperties": false}`, `{` + manyKeys(20_000, `"nmae%d": 1`) + `}`, "and 19,980 problems more"},
		{"much that is missing", `{"items": {"required": [` + manyKeys(20_000, `"n%d"`) + `]}}`, "[" + strings.Repeat("{}, ", 2000) + "{}]", "too many steps"},
		{"many wrong items", `{"items": {"enum": ["a", "b"]}}`, "[" + strings.Repeat(`"c", `, 300_000) + `"c"]`, "and 299,981 problems more"},
		{"a huge number", `{"multipleOf": 0.01}`, "1e400", ""},
		{"a number out of range", `{"multipleOf": 0.01}`, "1e10000000", "out of range"},
		{"a small number out of range", `{"multipleOf": 0.01}`, "1e-10000000", "out of range"},
		{"many digits", `{"multipleOf": 7}`, strings.Repeat("7", 1000), ""},
		{"too many digits", `{"multipleOf": 7}`, strings.Repeat("7", 1001), "out of range"},
		{"an exponent that is too long itself", `{}`, "[1e99999999999999999999]", "out of range"},
		{"a string", `{"maxLength": 10, "pattern": "^(?:a|b)*$"}`, `"` + strings.Repeat("a", 1<<20) + `"`, "at most 10"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			schema, problems := compileCase(test.schema)
			if problems != nil {
				t.Fatal(problems)
			}
			within(t, 10*time.Second, func() {
				if got := joined(validateCase(schema, test.value)); !strings.Contains(got, test.want) || test.want == "" && got != "" {
					t.Errorf("got %.300q, want %q in it", got, test.want)
				}
			})
		})
	}
}

// TestGoValues checks values that were not read by Parse.
func TestGoValues(t *testing.T) {
	schema, err := Compile(map[string]any{
		"type": "array", "items": map[string]any{"type": "number", "minimum": 1, "maximum": 2.5},
		"uniqueItems": true,
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"fit", []any{1, int64(2), 2.5}, ""},
		{"do not fit", []any{0, uint64(3)}, "/0: got 0, want at least 1; /1: got 3, want at most 2.5"},
		{"equal", []any{1, 1.0}, "items 0 and 1 are equal"},
		{"no numbers", []any{math.NaN(), math.Inf(1)}, "/0: the number NaN is out of range; /1: the number +Inf is out of range"},
		{"no JSON", []any{[]string{"x"}}, "/0: got []string, want number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := joined(schema.Validate(test.value)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
