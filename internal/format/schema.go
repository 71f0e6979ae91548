package format

import (
	"encoding/json"
	"maps"
)

// Metaschema is the address of the schema of JSON Schemas.
const Metaschema = "https://json-schema.org/draft/2020-12/schema"

// A Schema collects the definitions of a JSON Schema, each of an object by its name.
type Schema struct{ Definitions map[string]any }

// SchemaOf returns the JSON Schema (draft 2020-12) of one kind of file, whose root define defines.
func SchemaOf(kind string, define func(*Schema) map[string]any) []byte {
	s := &Schema{Definitions: map[string]any{}}
	root := define(s)
	maps.Copy(root, map[string]any{
		"$schema": Metaschema,
		"$id":     "https://github.com/a-seed-11b9befa/flow/" + kind + ".schema.json",
		"title":   "flow " + kind,
		"$defs":   s.Definitions,
	})
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // impossible: the tables are plain data
	}
	return append(text, '\n')
}

// Define defines an object, once, and returns a reference to it.
func Define[T any](s *Schema, o *Object[T]) map[string]any {
	ref := map[string]any{"$ref": "#/$defs/" + o.Name}
	if _, done := s.Definitions[o.Name]; done {
		return ref
	}
	def := map[string]any{"type": "object", "description": o.Doc, "additionalProperties": false}
	if o.Open {
		def["patternProperties"] = map[string]any{"^" + openPrefix: true}
	}
	s.Definitions[o.Name] = def
	properties := make(map[string]any, len(o.Fields))
	var required []any
	for _, f := range o.Fields {
		properties[f.Key] = withDescription(f.Schema(s), f.Doc)
		if f.Required {
			required = append(required, f.Key)
		}
	}
	def["properties"] = properties
	if required != nil {
		def["required"] = required
	}
	return ref
}

// withDescription adds a description to a schema that has none.
func withDescription(schema any, doc string) any {
	m, isMap := schema.(map[string]any)
	if !isMap {
		return schema
	}
	described := map[string]any{"description": doc}
	maps.Copy(described, m)
	return described
}

// Fixed is the schema of a shape that contains no others.
func Fixed(schema map[string]any) func(*Schema) any {
	return func(*Schema) any { return schema }
}
