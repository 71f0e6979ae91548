package jsonschema

import "testing"

// A verdict is a schema with values that fit, and some that do not.
type verdict struct {
	name, schema string
	fit, not     []string
}

func checkVerdicts(t *testing.T, verdicts []verdict) {
	t.Helper()
	for _, test := range verdicts {
		t.Run(test.name, func(t *testing.T) {
			schema, problems := compileCase(test.schema)
			if problems != nil {
				t.Fatal(problems)
			}
			for _, value := range test.fit {
				if p := validateCase(schema, value); p != nil {
					t.Errorf("%s: %v", value, p)
				}
			}
			for _, value := range test.not {
				if validateCase(schema, value) == nil {
					t.Errorf("%s fits", value)
				}
			}
		})
	}
}

func TestReferences(t *testing.T) {
	checkVerdicts(t, []verdict{
		{
			"to a definition", `{"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}`,
			[]string{`"x"`}, []string{`1`},
		},
		{
			"beside other keywords", `{"$ref": "#/$defs/a", "minLength": 2, "$defs": {"a": {"type": "string"}}}`,
			[]string{`"xy"`}, []string{`"x"`, `1`},
		},
		{
			"with escapes", `{"items": {"$ref": "#/$defs/a~1b~0c%25"}, "$defs": {"a/b~c%": {"type": "null"}}}`,
			[]string{`[null]`}, []string{`[1]`},
		},
		{
			"into a list", `{"prefixItems": [{"type": "string"}, {"$ref": "#/prefixItems/0"}]}`,
			[]string{`["a", "b"]`}, []string{`["a", 1]`},
		},
		{
			"to what is no keyword", `{"$ref": "#/x-types/a", "x-types": {"a": {"type": "string"}}}`,
			[]string{`"x"`}, []string{`1`},
		},
		{
			"to an anchor", `{"$ref": "#a", "$defs": {"b": {"$anchor": "a", "type": "string"}}}`,
			[]string{`"x"`}, []string{`1`},
		},
		{
			"to a name", `{"properties": {"p": {"$id": "T0", "type": "object", "properties": {"next": {"$ref": "T0"}}, "required": ["v"]}}}`,
			[]string{`{"p": {"v": 1, "next": {"v": 2}}}`}, []string{`{"p": {"v": 1, "next": {}}}`},
		},
		{
			"below a name", `{"$id": "https://example.org/a#", "items": {"$ref": "https://example.org/a#/$defs/n"}, "$defs": {"n": {"type": "string"}}}`,
			[]string{`["x"]`}, []string{`[1]`},
		},
		{
			"to the whole", `{"properties": {"next": {"$ref": "#"}}, "required": ["v"]}`,
			[]string{`{"v": 1, "next": {"v": 2}}`}, []string{`{"v": 1, "next": {}}`},
		},
		{
			"a URN", `{"$id": "urn:uuid:deadbeef-1234-ff00-00ff-4321feebdaed", "items": {"$ref": "urn:uuid:deadbeef-1234-ff00-00ff-4321feebdaed#/$defs/a"}, "$defs": {"a": {"type": "string"}}}`,
			[]string{`["x"]`}, []string{`[1]`},
		},
		{
			"names in values are none", `{"enum": [{"$id": "x", "$ref": "nowhere"}], "$defs": {"a": {"const": {"$ref": "#/nowhere"}}}}`,
			[]string{`{"$id": "x", "$ref": "nowhere"}`}, []string{`1`},
		},
		{
			"to a draft", `{"properties": {"schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}`,
			[]string{`{"schema": {"type": "string"}}`, `{"schema": true}`}, []string{`{"schema": {"type": "strnig"}}`, `{"schema": 1}`},
		},
		{
			"a property that is called so", `{"properties": {"$ref": {"type": "string"}}}`,
			[]string{`{"$ref": "x"}`}, []string{`{"$ref": 1}`},
		},
	})
}
