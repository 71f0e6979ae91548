package workflows

import "testing"

func TestSchemaType(t *testing.T) {
	tests := []struct{ what, schema, expression, want string }{
		{"string", `{"type": "string"}`, "v + 'x'", ""},
		{"string is no number", `{"type": "string"}`, "v + 1", "does not go with a string and a number"},
		{"integer", `{"type": "integer"}`, "v + 1", ""},
		{"number", `{"type": "number"}`, "v * 2 > 1", ""},
		{"boolean", `{"type": "boolean"}`, "not v", ""},
		{"list", `{"type": "array", "items": {"type": "string"}}`, "v[0] + 'x'", ""},
		{"list of numbers", `{"type": "array", "items": {"type": "integer"}}`, "v[0] + 'x'", "does not go with a number and a string"},
		{"list of anything", `{"type": "array"}`, "v[0].a.b", ""},
		{"tuple", `{"type": "array", "prefixItems": [{"type": "string"}]}`, "v[0].a", ""},
		{"known field", `{"type": "object", "properties": {"a": {"type": "integer"}}}`, "v.a + 1", ""},
		{"unknown field", `{"type": "object", "properties": {"a": {}}}`, "v.b", `unknown field "b"`},
		{"closed", `{"type": "object", "properties": {"a": {}}, "additionalProperties": false}`, "v.b", `unknown field "b"`},
		{"open", `{"type": "object", "properties": {"a": {}}, "additionalProperties": true}`, "v.b.c", ""},
		{"open to one type", `{"type": "object", "additionalProperties": {"type": "string"}}`, "v.b + 1", "does not go with a string and a number"},
		{"patterns", `{"type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {}}}`, "v.xy", ""},
		{"object without properties", `{"type": "object"}`, "v.anything.at.all", ""},
		{"nested", `{"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}}`, "v.a.c", `unknown field "c"`},
		{"several types", `{"type": ["string", "null"]}`, "v.x", ""},
		{"one type in a list", `{"type": ["string"]}`, "v + 1", "does not go with a string and a number"},
		{"union", `{"anyOf": [{"type": "string"}, {"type": "integer"}]}`, "v.x", ""},
		{"reference", `{"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}`, "v.x", ""},
		{"enum of one type", `{"enum": ["a", "b"]}`, "v + 1", "does not go with a string and a number"},
		{"enum of several", `{"enum": ["a", 1]}`, "v.x", ""},
		{"const", `{"const": 5}`, "v + 'x'", "does not go with a number and a string"},
		{"nothing said", `{}`, "v.a[0].b", ""},
		{"no value fits", `{"not": {}}`, "v.x", ""},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			_, ds := Parse("x.yaml", []byte("name: x\ninputs: {v: "+tt.schema+"}\nsteps: [{run: x}]\noutputs: {o: \"${{ let v = inputs.v; "+tt.expression+" }}\"}\n"), Options{})
			switch {
			case tt.want == "" && len(ds) > 0:
				t.Error(ds)
			case tt.want != "" && !contains(ds, tt.want):
				t.Errorf("got %v, want %s", ds, tt.want)
			}
		})
	}
}
