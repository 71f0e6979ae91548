package workflows

import "testing"

func TestMisspelt(t *testing.T) {
	tests := []struct{ name, want string }{
		{"tpye", "type"}, {"typ", "type"}, {"Type", "type"}, {"types", "type"},
		{"properteis", "properties"}, {"property", ""}, {"propertys", "properties"}, {"requried", "required"}, {"require", "required"},
		{"item", "items"}, {"enums", "enum"}, {"defualt", "default"}, {"descripton", "description"}, {"additionalProperty", "additionalProperties"},
		{"additional_properties", "additionalProperties"}, {"min_length", "minLength"}, {"maxlength", "maxLength"}, {"max_items", "maxItems"},
		{"nullable", ""}, {"discriminator", ""}, {"widget", ""}, {"note", ""}, {"ui", ""}, {"order", ""}, {"label", ""}, {"secret", ""}, {"", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := misspelt(tt.name); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for _, name := range append(append(commonKeywords(), rareKeywords()...), "$ref", "$defs", "x-anything", "x-tpye") {
		if !isKeyword(name) {
			t.Errorf("%s is no keyword", name)
		}
	}
}

// TestKeywordsEverywhere puts a misspelt keyword under each keyword that holds
// schemas, and under those that hold data.
func TestKeywordsEverywhere(t *testing.T) {
	for schema, found := range map[string]bool{
		"{items: {tpye: string}}":                    true,
		"{items: {items: {tpye: string}}}":           true,
		"{additionalProperties: {tpye: string}}":     true,
		"{properties: {a: {tpye: string}}}":          true,
		"{properties: {tpye: {type: string}}}":       false,
		"{patternProperties: {a: {tpye: string}}}":   true,
		"{anyOf: [{type: string}, {tpye: string}]}":  true,
		"{allOf: [{tpye: string}]}":                  true,
		"{oneOf: [{tpye: string}]}":                  true,
		"{not: {tpye: string}}":                      true,
		"{if: {tpye: string}}":                       true,
		"{then: {tpye: string}}":                     true,
		"{else: {tpye: string}}":                     true,
		"{contains: {tpye: string}}":                 true,
		"{prefixItems: [{tpye: string}]}":            true,
		"{propertyNames: {tpye: string}}":            true,
		"{$defs: {a: {tpye: string}}}":               true,
		"{dependentSchemas: {a: {tpye: string}}}":    true,
		"{enum: [{tpye: string}]}":                   false,
		"{const: {tpye: string}}":                    false,
		"{examples: [{tpye: string}]}":               false,
		"{default: {tpye: string}}":                  false,
		"{x-own: {tpye: string}}":                    false,
		"{additionalProperties: false, items: true}": false,
	} {
		for place, text := range map[string]string{
			"input":       "name: x\ninputs: {a: " + schema + "}\nsteps: [{run: x}]\n",
			"output":      "name: x\nsteps: [{run: x, output: " + schema + "}]\n",
			"custom tool": "name: x\ncustom_tools: {t: {description: t, run: [t], parameters: " + schema + "}}\nsteps: [{run: x}]\n",
		} {
			if _, ds := Parse("x.yaml", []byte(text), Options{}); contains(ds, `no keyword "tpye"`) != found || ds.HasErrors() != found {
				t.Errorf("%s %s: %v", place, schema, ds)
			}
		}
	}
}
