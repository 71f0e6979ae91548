package jsonschema

import "testing"

func TestMeantKeyword(t *testing.T) {
	tests := []struct{ name, want string }{
		{"tpye", "type"}, {"typ", "type"}, {"Type", "type"}, {"types", "type"},
		{"properteis", "properties"}, {"property", ""}, {"propertys", "properties"}, {"requried", "required"}, {"require", "required"},
		{"item", "items"}, {"enums", "enum"}, {"defualt", "default"}, {"descripton", "description"}, {"additionalProperty", "additionalProperties"},
		{"additional_properties", "additionalProperties"}, {"min_length", "minLength"}, {"maxlength", "maxLength"}, {"max_items", "maxItems"},
		{"discriminator", ""}, {"widget", ""}, {"note", ""}, {"ui", ""}, {"order", ""}, {"label", ""}, {"secret", ""}, {"", ""},
	}
	for _, test := range tests {
		schema, err := Compile(map[string]any{test.name: 1}, Options{})
		if err != nil || len(schema.Doubts()) != 1 {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := schema.Doubts()[0]; got.Meant != test.want || got.Slip != (test.want != "") || got.Path != "/"+test.name {
			t.Errorf("%s: got %+v, want %q", test.name, got, test.want)
		}
	}
}

// TestNoDoubt has names that are right.
func TestNoDoubt(t *testing.T) {
	schema, err := Compile(map[string]any{
		"const": map[string]any{"tpye": 1}, "properties": map[string]any{"tpye": true}, "required": []any{"id"}, "x-tpye": 1, "$vocabulary": 1,
	}, Options{})
	if err != nil || len(schema.Doubts()) != 0 {
		t.Errorf("%v %v", schema, err)
	}
}

func TestRequiredDoubt(t *testing.T) {
	schema, err := Compile(map[string]any{"properties": map[string]any{"topic": true}, "required": []any{"topik", "size"}}, Options{})
	if err != nil || len(schema.Doubts()) != 1 {
		t.Fatal(schema, err)
	}
	if got := schema.Doubts()[0]; got.Meant != "topic" || got.Slip || got.Path != "/required/0" {
		t.Errorf("got %+v", got)
	}
}
