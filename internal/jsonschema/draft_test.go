package jsonschema

import "testing"

// TestDrafts shows that the spellings of earlier drafts are read, whichever is named.
func TestDrafts(t *testing.T) {
	const (
		d7  = `"$schema": "https://json-schema.org/draft-07/schema", `
		d19 = `"$schema": "https://json-schema.org/draft/2019-09/schema", `
	)
	checkVerdicts(t, []verdict{
		{"7: if", `{` + d7 + `"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "null"}}`, []string{`"x"`, `null`}, []string{`""`, `1`}},
		{"7: what came later means what it says", `{` + d7 + `"minContains": 3, "contains": true, "dependentRequired": {"a": ["b"]}}`, []string{`{}`, `[1, 2, 3]`}, []string{`{"a": 1}`, `[1]`}},
		{"2019: tuples", `{` + d19 + `"items": [{"type": "string"}], "additionalItems": false}`, []string{`["x"]`, `[]`}, []string{`[1]`, `["x", 1]`}},
		{"none: tuples, too", `{"items": [{"type": "string"}], "additionalItems": {"type": "null"}}`, []string{`["x", null]`}, []string{`[1]`, `["x", 1]`}},
		{"none: definitions", `{"$ref": "#/definitions/a", "definitions": {"a": {"type": "string"}}}`, []string{`"x"`}, []string{`1`}},
		{"none: dependencies", `{"dependencies": {"a": ["b"], "c": {"minProperties": 2}}}`, []string{`{"a": 1, "b": 2}`, `{"c": 1, "d": 1}`}, []string{`{"a": 1}`, `{"c": 1}`}},
		{"none: id is no keyword", `{"id": 7, "properties": {"a": {"id": "#x"}}}`, []string{`{"a": 1}`}, nil},
		{"none: additionalItems alone says nothing", `{"additionalItems": false}`, []string{`[1]`}, nil},
		{"an unknown keyword", `{"x-mine": {"type": 7}, "discriminator": 1, "nullable": true}`, []string{`1`}, nil},
	})
}

// TestKeywords has of each keyword, in draft 2020-12, what the comparison by
// chance may miss.
func TestKeywords(t *testing.T) {
	checkVerdicts(t, []verdict{
		{"integers", `{"type": "integer"}`, []string{`1`, `1.0`, `-0`, `1e3`, `12345678901234567890`, `1.5e1`}, []string{`1.5`, `1e-1`, `"1"`, `true`}},
		{"exact bounds", `{"maximum": 9007199254740993}`, []string{`9007199254740993`, `9007199254740993.0`}, []string{`9007199254740994`, `9007199254740993.0000001`}},
		{"exact multiples", `{"multipleOf": 0.01}`, []string{`0.07`, `4.35`, `1e300`, `-1.1`}, []string{`0.075`, `1e-3`}},
		{"small multiples", `{"multipleOf": 1e-300}`, []string{`1`, `3e-300`}, []string{`1e-301`}},
		{"equal numbers", `{"enum": [1, "1", [2.0], {"a": 3e0}]}`, []string{`1.0`, `"1"`, `[2]`, `{"a": 3}`}, []string{`"1.0"`, `true`, `[2, 2]`, `{"a": 3, "b": 1}`}},
		{"unique items", `{"uniqueItems": true}`, []string{`[1, true]`, `[0, false, "", null, [], {}]`, `[{"a": 1}, {"a": 2}]`, `["1", 1]`}, []string{`[1, 1.0]`, `[{"a": 1, "b": 2}, {"b": 2, "a": 1}]`, `[[1, [2]], [1, [2.0]]]`, `["a", "b", "a"]`}},
		{"characters are code points", `{"minLength": 2, "maxLength": 2}`, []string{`"é😀"`, `"e\u0301"`}, []string{`"😀"`, `"abc"`}},
		{"no items are wanted", `{"contains": false, "minContains": 0}`, []string{`[]`, `[1]`}, nil},
		{"names", `{"propertyNames": {"pattern": "^[a-z]+$"}}`, []string{`{"a": 1}`}, []string{`{"A": 1}`}},
		{"what is left over", `{"properties": {"a": {}}, "patternProperties": {"^b": {}}, "additionalProperties": false}`, []string{`{"a": 1, "b1": 1}`}, []string{`{"c": 1}`}},
		{"items behind a prefix", `{"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}`, []string{`[]`, `["a", 1]`}, []string{`["a", "b"]`, `[1]`}},
		{"the schemas true and false", `{"properties": {"a": true, "b": false}}`, []string{`{"a": 1}`}, []string{`{"b": 1}`}},
		{"keywords of other types", `{"minLength": 1, "minimum": 1, "minItems": 1, "minProperties": 1}`, []string{`true`, `null`, `"x"`, `1`, `[1]`, `{"a": 1}`}, []string{`""`, `0`, `[]`, `{}`}},
	})
}
