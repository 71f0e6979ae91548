package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/tools"
)

// TestFoldSchema: what combines several objects at its root becomes one that accepts whatever they
// accept.
func TestFoldSchema(t *testing.T) {
	const (
		byName = `{"type":"object","properties":{"name":{"type":"string"},"deep":{"type":"boolean"}},"required":["name"],"additionalProperties":false}`
		byID   = `{"type":"object","properties":{"id":{"type":"integer"},"deep":{"type":"boolean"}},"required":["id"],"additionalProperties":false}`
	)
	for _, test := range []struct {
		name, schema, want string
		accepts            []string
	}{
		{
			"one of several objects", `{"anyOf":[` + byName + `,` + byID + `]}`,
			`{"properties":{"deep":{"type":"boolean"},"id":{"type":"integer"},"name":{"type":"string"}},"type":"object"}`,
			[]string{`{"name":"x"}`, `{"id":1,"deep":true}`},
		},
		{
			"an object or nothing", `{"oneOf":[{"type":"null"},` + byName + `]}`,
			`{"properties":{"deep":{"type":"boolean"},"name":{"type":"string"}},"type":"object"}`,
			[]string{`{"name":"x"}`},
		},
		{
			"a kind says which", `{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind","n"]},{"properties":{"kind":{"const":"b"}},"required":["kind"]}]}`,
			`{"properties":{"kind":{"anyOf":[{"const":"a"},{"const":"b"}]},"n":{"type":"integer"}},"type":"object"}`,
			[]string{`{"kind":"a","n":1}`, `{"kind":"b"}`},
		},
		{
			"at least one argument", `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false,"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"properties":{"a":{},"b":{}},"type":"object"}`,
			[]string{`{"a":1}`, `{"b":1}`},
		},
		{
			"all of several", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"a":{"minLength":2},"b":{}},"required":["b"]}]}`,
			`{"properties":{"a":{"anyOf":[{"type":"string"},{"minLength":2}]},"b":{}},"required":["a","b"],"type":"object"}`,
			[]string{`{"a":"xy","b":1}`},
		},
		{
			"a reference", `{"$ref":"#/definitions/Query","definitions":{"Query":{"type":"object","properties":{"q":{"$ref":"#/definitions/Text"}},"required":["q"]},"Text":{"type":"string"}}}`,
			`{"definitions":{"Query":{"properties":{"q":{"$ref":"#/definitions/Text"}},"required":["q"],"type":"object"},"Text":{"type":"string"}},"properties":{"q":{"$ref":"#/definitions/Text"}},"required":["q"],"type":"object"}`,
			[]string{`{"q":"x"}`},
		},
		{
			"references to choose from", `{"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}],"$defs":{"A":{"type":"object","properties":{"a":{}}},"B":{"type":["object","null"],"properties":{"b":{}}}}}`,
			`{"$defs":{"A":{"properties":{"a":{}},"type":"object"},"B":{"properties":{"b":{}},"type":["object","null"]}},"properties":{"a":{},"b":{}},"type":"object"}`,
			[]string{`{"a":1}`, `{"b":1}`},
		},
		{"an object or null", `{"type":["object","null"],"not":{"required":["a","b"]}}`, `{"properties":{},"type":"object"}`, []string{`{}`}},
		{"anything", `{}`, `{"properties":{},"type":"object"}`, []string{`{"x":1}`}},
		{"a fixed value", `{"enum":[{"a":1}]}`, "", nil},
		{"no alternative is an object", `{"oneOf":[{"type":"string"},false]}`, "", nil},
		{"a part is no object", `{"allOf":[{"type":"object"},{"type":"string"}]}`, "", nil},
		{"nothing to choose from", `{"anyOf":[]}`, "", nil},
		{"a reference that leads nowhere", `{"$ref":"#/$defs/A/0"}`, "", nil},
		{"references that multiply", `{"$ref":"#/$defs/0","$defs":{` + multiply(12) + `}}`, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			given, err := jsonline.DecodeExact(json.RawMessage(test.schema))
			if err != nil {
				t.Fatal(err)
			}
			object, ok := foldSchema(given.(map[string]any))
			if !ok {
				object = nil
			}
			got, err := jsonline.Encode(object)
			if err != nil {
				t.Fatal(err)
			}
			if want := test.want; want != string(got) && (want != "" || ok) {
				t.Fatalf("got  %s\nwant %s", got, want)
			}
			for _, arguments := range test.accepts {
				accepts(t, got, arguments)
			}
		})
	}
}

// multiply has definitions each of which refers to the next one four times.
func multiply(n int) string {
	var all []string
	for i := range n {
		ref := fmt.Sprintf(`{"$ref":"#/$defs/%d"}`, i+1)
		all = append(all, fmt.Sprintf(`"%d":{"allOf":[%s]}`, i, strings.Join([]string{ref, ref, ref, ref}, ",")))
	}
	return strings.Join(append(all, fmt.Sprintf(`"%d":{}`, n)), ",")
}

func accepts(t *testing.T, schema []byte, arguments string) {
	t.Helper()
	compiled, err := tools.CompileSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonline.DecodeExact(json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	if problems := compiled.Validate(value); len(problems) > 0 {
		t.Errorf("%s is refused: %v", arguments, problems)
	}
}
