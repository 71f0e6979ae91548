package jsonschema

import (
	"errors"
	"strings"
	"testing"
)

func TestUnknownKeywords(t *testing.T) {
	tests := []struct{ name, want string }{
		{"tpye", "type"}, {"typ", "type"}, {"Type", "type"}, {"types", "type"},
		{"properteis", "properties"}, {"propertys", "properties"}, {"requried", "required"}, {"require", "required"},
		{"item", "items"}, {"enums", "enum"}, {"defualt", "default"}, {"descripton", "description"}, {"additionalProperty", "additionalProperties"},
		{"additional_properties", "additionalProperties"}, {"min_length", "minLength"}, {"maxlength", "maxLength"}, {"max_items", "maxItems"},
		{"discriminator", ""}, {"widget", ""}, {"secret", ""}, {"nullable", ""},
	}
	for _, test := range tests {
		document := map[string]any{"properties": map[string]any{"a": map[string]any{test.name: 1}}}
		if _, err := Compile(document, Options{}); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		_, err := Compile(document, Options{Strict: true})
		var wrong *Error
		if !errors.As(err, &wrong) || len(wrong.Problems) != 1 {
			t.Fatalf("%s: %v", test.name, err)
		}
		got := wrong.Problems[0]
		if got.Path != "/properties/a" || got.Name != test.name || !strings.Contains(got.Message, "did you mean \""+test.want+"\"?") == (test.want != "") {
			t.Errorf("%s: got %+v, want %q", test.name, got, test.want)
		}
	}
}

// TestKnownKeywords has names that are right.
func TestKnownKeywords(t *testing.T) {
	_, err := Compile(map[string]any{
		"const": map[string]any{"tpye": 1}, "properties": map[string]any{"tpye": true}, "required": []any{"id"}, "x-tpye": 1, "$vocabulary": 1,
	}, Options{Strict: true})
	if err != nil {
		t.Error(err)
	}
}
