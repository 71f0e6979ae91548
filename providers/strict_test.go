package providers

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestStrictSchema(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"closed already", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`},
		{"closed by us, in the order given", `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"required":["a","z"]}`,
			`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"required":["a","z"],"additionalProperties":false}`},
		{"nested", `{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"n":{"type":["number","null"],"minimum":0}},"required":["n"]}}},"required":["l"]}`,
			`{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"n":{"type":["number","null"],"minimum":0}},"required":["n"],"additionalProperties":false}}},"required":["l"],"additionalProperties":false}`},
		{"no properties", `{"type":"object","properties":{}}`, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`},
		{"annotations", `{"$schema":"x","type":"object","title":"T","properties":{"default":{"type":"string","description":"<d>","default":"x","examples":["y"]}},"required":["default"]}`,
			`{"type":"object","title":"T","properties":{"default":{"type":"string","description":"<d>"}},"required":["default"],"additionalProperties":false}`},
		{"definitions", `{"type":"object","properties":{"n":{"$ref":"#/$defs/node","description":"first"}},"required":["n"],"$defs":{"node":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},"required":["next"]}}}`,
			`{"type":"object","properties":{"n":{"$ref":"#/$defs/node"}},"required":["n"],"$defs":{"node":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},"required":["next"],"additionalProperties":false}},"additionalProperties":false}`},
		{"definitions under their older name", `{"type":"object","properties":{"n":{"$ref":"#/definitions/node"}},"required":["n"],"definitions":{"node":{"type":"object","properties":{}}}}`,
			`{"type":"object","properties":{"n":{"$ref":"#/definitions/node"}},"required":["n"],"definitions":{"node":{"type":"object","properties":{},"required":[],"additionalProperties":false}},"additionalProperties":false}`},
		{"an object by its properties", `{"type":"object","properties":{"a":{"anyOf":[{"type":"null"}],"properties":{}}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"}],"properties":{},"required":[],"additionalProperties":false}},"required":["a"],"additionalProperties":false}`},
		{"whole recursion", `{"type":"object","properties":{"c":{"type":"array","items":{"$ref":"#"}}},"required":["c"]}`,
			`{"type":"object","properties":{"c":{"type":"array","items":{"$ref":"#"}}},"required":["c"],"additionalProperties":false}`},
		{"enum and format", `{"type":"object","properties":{"e":{"type":"string","enum":["a",null]},"f":{"type":"string","format":"date-time"}},"required":["e","f"]}`,
			`{"type":"object","properties":{"e":{"type":"string","enum":["a",null]},"f":{"type":"string","format":"date-time"}},"required":["e","f"],"additionalProperties":false}`},
		{"large numbers", `{"type":"object","properties":{"n":{"type":"integer","const":12345678901234567890}},"required":["n"]}`,
			`{"type":"object","properties":{"n":{"type":"integer","const":12345678901234567890}},"required":["n"],"additionalProperties":false}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := StrictSchema(json.RawMessage(tt.schema))
			if !ok || string(got) != tt.want {
				t.Errorf("got %v, %s\nwant %s", ok, got, tt.want)
			}
			again, ok := StrictSchema(got)
			if !ok || string(again) != string(got) {
				t.Errorf("a second time: %v, %s", ok, again)
			}
		})
	}
}

func TestSchemaThatIsNotStrict(t *testing.T) {
	property := func(schema string) string {
		return `{"type":"object","properties":{"a":` + schema + `},"required":["a"]}`
	}
	tests := map[string]string{
		"no JSON":                `{`,
		"nothing":                ``,
		"no object":              `true`,
		"array at the top":       `{"type":"array","items":{"type":"string"}}`,
		"no type at the top":     `{"properties":{}}`,
		"union at the top":       `{"type":"object","properties":{},"anyOf":[{"type":"object","properties":{}}]}`,
		"optional property":      `{"type":"object","properties":{"a":{"type":"string"}}}`,
		"required is unknown":    `{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`,
		"required is null":       `{"type":"object","properties":{},"required":null}`,
		"open":                   `{"type":"object","properties":{},"additionalProperties":true}`,
		"open by its properties": property(`{"anyOf":[{"type":"null"}],"properties":{"b":{"type":"string"}}}`),
		"map of strings":         `{"type":"object","properties":{},"additionalProperties":{"type":"string"}}`,
		"map of anything":        property(`{"type":"object"}`),
		"anything":               property(`{}`),
		"true":                   property(`true`),
		"enum without a type":    property(`{"enum":["a"]}`),
		"array of anything":      property(`{"type":"array"}`),
		"tuple":                  property(`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"string"}}`),
		"allOf":                  property(`{"type":"string","allOf":[{"type":"string"}]}`),
		"oneOf":                  property(`{"oneOf":[{"type":"string"}]}`),
		"empty union":            property(`{"anyOf":[]}`),
		"length":                 property(`{"type":"string","minLength":1}`),
		"pattern properties":     property(`{"type":"object","properties":{},"patternProperties":{"x":{"type":"string"}}}`),
		"format":                 property(`{"type":"string","format":"uri"}`),
		"format of no string":    property(`{"type":"string","format":{}}`),
		"branch":                 property(`{"anyOf":[{"type":"string"},{"type":"object"}]}`),
		"empty enum":             property(`{"type":"string","enum":[]}`),
		"reference elsewhere":    property(`{"$ref":"https://example.invalid/x"}`),
		"unknown reference":      property(`{"$ref":"#/$defs/x"}`),
		"reference and more":     `{"type":"object","properties":{"a":{"$ref":"#/$defs/x","type":"string"}},"required":["a"],"$defs":{"x":{"type":"string"}}}`,
		"bad definition":         `{"type":"object","properties":{},"$defs":{"x":{"type":"object"}}}`,
		"too deep":               strings.Repeat(`{"type":"object","required":["a"],"properties":{"a":`, 50) + `{"type":"string"}` + strings.Repeat(`}}`, 50),
		"far too deep":           strings.Repeat(`{"type":"object","properties":{"a":`, 4000) + `{}` + strings.Repeat(`}}`, 4000),
	}
	for name, schema := range tests {
		if got, ok := StrictSchema(json.RawMessage(schema)); ok || string(got) != schema {
			t.Errorf("%s: got %v, %.200s", name, ok, got)
		}
	}
}

func FuzzStrictSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]}},"required":["a"]}`))
	f.Add([]byte(`{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"},{"type":"array","items":{"type":"integer"}}]}},"required":["a"],"$defs":{"x":{"type":"null"}}}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		got, ok := StrictSchema(schema)
		if !ok {
			if string(got) != string(schema) {
				t.Errorf("%q became %q", schema, got)
			}
			return
		}
		again, ok := StrictSchema(got)
		if !ok || string(again) != string(got) {
			t.Errorf("%s is strict, and then it is %v, %s", got, ok, again)
		}
	})
}
