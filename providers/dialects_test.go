package providers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestClosedSchema(t *testing.T) {
	many := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
		}
		return `{"type":"object","properties":{` + strings.Join(list, ",") + `}}`
	}
	in := func(property string) string {
		return `{"type":"object","properties":{"a":` + property + `},"required":["a"],"additionalProperties":false}`
	}
	for _, c := range []struct {
		name, schema, want string // without want the schema can't be adapted
	}{
		{"closed already", in(`{"type":"string"}`), in(`{"type":"string"}`)},
		{"open", `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"null"}}}`,
			`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"null"}},"additionalProperties":false}`},
		{"open inside", in(`{"type":"array","items":{"properties":{"x":{"type":"integer"}}}}`),
			in(`{"type":"array","items":{"properties":{"x":{"type":"integer"}},"additionalProperties":false}}`)},
		{"annotations", `{"$schema":"s","title":"T","description":"D","examples":[1],` + in(`{"type":"string","default":"x"}`)[1:],
			`{"title":"T","description":"D",` + in(`{"type":"string"}`)[1:]},
		{"bounds become words", in(`{"type":"integer","minimum":1,"maximum":1e2,"description":"How many."}`), in(`{"type":"integer","description":"How many. (minimum: 1, maximum: 1e2)"}`)},
		{"a pattern becomes words", in(`{"type":"string","pattern":"^<"}`), in(`{"type":"string","description":"(pattern: \"^<\")"}`)},
		{"small arrays", in(`{"type":"array","minItems":1,"items":{"type":"string"}}`), in(`{"type":"array","minItems":1,"items":{"type":"string"}}`)},
		{"larger arrays", in(`{"type":"array","minItems":2,"maxItems":3,"items":{"type":"string"}}`), in(`{"type":"array","items":{"type":"string"},"description":"(minItems: 2, maxItems: 3)"}`)},
		{"formats", in(`{"type":"string","format":"date-time"}`), in(`{"type":"string","format":"date-time"}`)},
		{"unknown formats", in(`{"type":"string","format":"duck"}`), in(`{"type":"string","description":"(format: \"duck\")"}`)},
		{"enum and const", in(`{"enum":["x",1,null,true]}`), in(`{"enum":["x",1,null,true]}`)},
		{"oneOf", in(`{"oneOf":[{"type":"string"},{"const":1}]}`), in(`{"anyOf":[{"type":"string"},{"const":1}]}`)},
		{"definitions", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x","description":"d"}},"$defs":{"x":{"type":"object","properties":{"n":{"type":"number"}}}}}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"object","properties":{"n":{"type":"number"}},"additionalProperties":false}},"additionalProperties":false}`},
		{"24 optional properties", many(24), many(24)[:len(many(24))-1] + `,"additionalProperties":false}`},

		{"both kinds of union", in(`{"anyOf":[{"type":"string"}],"oneOf":[{"type":"null"}]}`), ""},
		{"required, and forbidden", `{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`, ""},
		{"required that is no list", `{"type":"object","properties":{"a":{"type":"string"}},"required":"a"}`, ""},
		{"no JSON", `{`, ""},
		{"no object", `true`, ""},
		{"a map", `{"type":"object"}`, ""},
		{"a map of numbers", in(`{"type":"object","additionalProperties":{"type":"number"}}`), ""},
		{"an open object that says so", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, ""},
		{"25 optional properties", many(25), ""},
		{"17 unions", `{"type":"object","properties":{"a":{"anyOf":[` + strings.Repeat(`{"type":["string","null"]},`, 16) + `{"type":"string"}]}},"required":["a"]}`, ""},
		{"allOf", in(`{"allOf":[{"type":"string"}]}`), ""},
		{"not", in(`{"not":{"type":"string"}}`), ""},
		{"an enum of objects", in(`{"enum":[{}]}`), ""},
		{"an empty anyOf", in(`{"anyOf":[]}`), ""},
		{"a reference to the whole", `{"type":"object","properties":{"a":{"$ref":"#"}}}`, ""},
		{"a reference to elsewhere", in(`{"$ref":"https://example.com/x"}`), ""},
		{"a reference to nothing", in(`{"$ref":"#/$defs/x"}`), ""},
		{"a reference with more beside it", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x","minimum":1}},"$defs":{"x":{"type":"number"}}}`, ""},
		{"a definition of itself", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"array","items":{"$ref":"#/$defs/x"}}}}`, ""},
		{"two definitions of each other", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"anyOf":[{"$ref":"#/$defs/y"}]},"y":{"anyOf":[{"$ref":"#/$defs/x"}]}}}`, ""},
		{"properties that are none", `{"type":"object","properties":[]}`, ""},
		{"too deep", strings.Repeat(`{"type":"array","items":`, 40) + `{"type":"string"}` + strings.Repeat(`}`, 40), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := ClosedSchema(json.RawMessage(c.schema))
			want := c.want
			if want == "" {
				want = c.schema
			}
			if ok != (c.want != "") {
				t.Errorf("adapted: %v", ok)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestClosedSchemaOfBomb has definitions that double what they refer to.
func TestClosedSchemaOfBomb(t *testing.T) {
	var definitions []string
	for i := range 30 {
		definitions = append(definitions, fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}},"required":["a","b"]}`, i, i+1, i+1))
	}
	definitions = append(definitions, `"d30":{"type":"string"}`)
	bomb := `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"required":["a"],"$defs":{` + strings.Join(definitions, ",") + `}}`
	began := time.Now()
	ClosedSchema(json.RawMessage(bomb))
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func FuzzClosedSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":["string","null"],"minLength":2}},"required":["a"]}`))
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"anyOf":[{"$ref":"#/$defs/x"}]}}}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		adapted, ok := ClosedSchema(schema)
		if !ok {
			if string(adapted) != string(schema) {
				t.Errorf("%s became %s", schema, adapted)
			}
			return
		}
		if again, ok := ClosedSchema(adapted); !ok || string(again) != string(adapted) {
			t.Errorf("%s became %s, and then %s", schema, adapted, again)
		}
	})
}
