package workflows

import "testing"

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
		for where, text := range map[string]string{
			"input":       "name: x\ninputs: {a: " + schema + "}\nsteps: [{run: x}]\n",
			"output":      "name: x\nsteps: [{run: x, output: " + schema + "}]\n",
			"custom tool": "name: x\ncustom_tools: {t: {description: t, run: [t], parameters: " + schema + "}}\nsteps: [{run: x}]\n",
		} {
			if _, ds := Parse("x.yaml", []byte(text), Options{}); contains(ds, `no keyword "tpye"`) != found || ds.HasErrors() != found {
				t.Errorf("%s %s: %v", where, schema, ds)
			}
		}
	}
}
