package jsonschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// referenceFits asks another validator, which only the tests know, whether a
// value fits a schema; known is false where it can't use the schema.
func referenceFits(schema, value string) (fits, known bool) {
	document, err := santhosh.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return false, false
	}
	c := santhosh.NewCompiler()
	if err := c.AddResource("schema:///", document); err != nil {
		return false, false
	}
	compiled, err := c.Compile("schema:///")
	if err != nil {
		return false, false
	}
	instance, err := santhosh.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		return false, false
	}
	return compiled.Validate(instance) == nil, true
}

// A maker makes schemas and values by chance, small enough to collide.
type maker struct{ *rand.Rand }

func (m maker) pick(all ...any) any { return all[m.IntN(len(all))] }

func (m maker) value(depth int) any {
	kinds := 7
	if depth == 0 {
		kinds = 5
	}
	switch m.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return m.IntN(2) == 0
	case 2:
		return json.Number(fmt.Sprint(m.pick("0", "1", "-1", "2", "1.0", "1.5", "3e0", "0.1", "12345678901234567890")))
	case 3, 4:
		return m.pick("", "a", "b", "ab", "é", "12")
	case 5:
		list := make([]any, m.IntN(4))
		for i := range list {
			list[i] = m.value(depth - 1)
		}
		return list
	}
	object := map[string]any{}
	for range m.IntN(4) {
		object[m.name()] = m.value(depth - 1)
	}
	return object
}

func (m maker) name() string { return m.pick("a", "b", "c", "ab").(string) }

func (m maker) count() any { return json.Number(fmt.Sprint(m.IntN(4))) }

// schema makes one of the keywords of draft 2020-12.
func (m maker) schema(depth int) any {
	if depth == 0 {
		return m.pick(true, false, map[string]any{"type": m.typeName()}, map[string]any{"$ref": "#/$defs/a"})
	}
	s := map[string]any{}
	for range 1 + m.IntN(3) {
		m.keyword(s, depth-1)
	}
	return s
}

func (m maker) typeName() any {
	return m.pick("array", "boolean", "integer", "null", "number", "object", "string")
}

func (m maker) keyword(s map[string]any, depth int) {
	inner := func() any { return m.schema(depth) }
	some := func() any {
		list := []any{inner()}
		for range m.IntN(3) {
			list = append(list, inner())
		}
		return list
	}
	named := func() any {
		object := map[string]any{}
		for range 1 + m.IntN(3) {
			object[m.name()] = inner()
		}
		return object
	}
	number := func() any { return m.pick(json.Number("0"), json.Number("1"), json.Number("1.5"), json.Number("2.0")) }
	switch name := m.pick("type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"maxLength", "minLength", "pattern", "items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems",
		"minContains", "maxContains", "properties", "patternProperties", "additionalProperties", "required", "minProperties", "maxProperties",
		"dependentRequired", "dependentSchemas", "propertyNames", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
		"dependencies").(string); name {
	case "type":
		s[name] = m.pick(m.typeName(), []any{"string", "integer"}, []any{"object", "array"})
	case "enum":
		s[name] = []any{m.value(2), m.value(1), m.value(0)}
	case "const":
		s[name] = m.value(2)
	case "multipleOf":
		s[name] = m.pick(json.Number("1"), json.Number("0.1"), json.Number("1.5"), json.Number("3"))
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		s[name] = number()
	case "pattern":
		s[name] = m.pick("^a", "b$", "\\d", "^.$")
	case "items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else":
		s[name] = inner()
	case "prefixItems", "allOf", "anyOf", "oneOf":
		s[name] = some()
	case "uniqueItems":
		s[name] = m.IntN(2) == 0
	case "properties", "dependentSchemas", "dependencies":
		s[name] = named()
	case "patternProperties":
		s[name] = map[string]any{m.pick("^a", "b", "^.$").(string): inner()}
	case "required":
		s[name] = m.pick([]any{"a"}, []any{"a", "b"}, []any{})
	case "dependentRequired":
		s[name] = map[string]any{m.name(): m.pick([]any{"a"}, []any{"b", "c"})}
	default:
		s[name] = m.count()
	}
}

// TestAgainstReference compares the verdicts of two validators that share no
// code, for schemas and values that are made by chance.
func TestAgainstReference(t *testing.T) {
	rounds := 8_000
	if testing.Short() {
		rounds = 1_000
	}
	m := maker{rand.New(rand.NewPCG(1, 2))}
	fitting, refused := 0, 0
	for range rounds {
		document := map[string]any{"$defs": map[string]any{"a": m.schema(2)}, "allOf": []any{m.schema(3)}}
		value := m.value(3)
		schemaText, valueText := text(t, document), text(t, value)
		want, known := referenceFits(schemaText, valueText)
		schema, err := Compile(document, Options{})
		if err != nil {
			if known && !strings.Contains(err.Error(), "without end") {
				t.Fatalf("%s: %v", schemaText, err)
			}
			continue
		}
		problems := schema.Validate(value)
		if joined(problems) != "" && problems[0].Keyword == "" && strings.Contains(problems[0].Message, "without end") {
			continue
		}
		if !known || (problems == nil) != want {
			t.Fatalf("schema %s\nvalue %s\nfits is %v (%v), the reference has %v (known %v)", schemaText, valueText, problems == nil, problems, want, known)
		}
		if fitting++; problems != nil {
			fitting, refused = fitting-1, refused+1
		}
	}
	t.Logf("%d fit, %d do not", fitting, refused)
	if fitting < rounds/10 || refused < rounds/10 {
		t.Error("the cases are too much alike")
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}
