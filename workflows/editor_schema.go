package workflows

import (
	"encoding/json"
	"maps"
	"slices"
)

// Schema returns the JSON Schema (draft 2020-12) of workflow files, for editors. It is
// made from the tables that the parser uses, and does not cover what needs the whole
// file, such as names and types in expressions.
func Schema() []byte {
	f := newFormat()
	return schemaOf("workflow", func(w *schemaWriter) any { return define(w, f.file)["$ref"] })
}

// TestSchema returns the JSON Schema of test files; see [Schema].
func TestSchema() []byte {
	table := testsTable()
	return schemaOf("test", func(w *schemaWriter) any { return define(w, table)["$ref"] })
}

// schemaOf returns the schema of one kind of file, whose root define defines.
func schemaOf(kind string, define func(*schemaWriter) any) []byte {
	w := &schemaWriter{defs: map[string]any{}}
	root := map[string]any{
		"$schema": metaschema,
		"$id":     "https://github.com/a-seed-11b9befa/flow/" + kind + ".schema.json",
		"title":   "flow " + kind,
		"$ref":    define(w),
	}
	root["$defs"] = w.defs
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // impossible: the tables are plain data
	}
	return append(text, '\n')
}

// A schemaWriter collects the definitions that a schema refers to.
type schemaWriter struct {
	defs map[string]any
}

// define defines an object, once, and returns a reference to it.
func define[T any](w *schemaWriter, o *object[T]) map[string]any {
	ref := map[string]any{"$ref": "#/$defs/" + o.name}
	if _, done := w.defs[o.name]; done {
		return ref
	}
	def := map[string]any{"type": "object", "description": o.doc, "additionalProperties": false}
	if o.open {
		def["patternProperties"] = map[string]any{"^" + openPrefix: true}
	}
	w.defs[o.name] = def
	properties := make(map[string]any, len(o.fields))
	var required []any
	for _, f := range o.fields {
		properties[f.key] = withDescription(f.schema(w), f.doc)
		if f.required {
			required = append(required, f.key)
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

// describeStep is define for a step, which is of one kind and has the keys of that kind.
func describeStep(w *schemaWriter, o *object[stepDraft]) map[string]any {
	_, done := w.defs[o.name]
	ref := define(w, o)
	if done {
		return ref
	}
	def, _ := w.defs[o.name].(map[string]any)
	var kinds, rules []any
	for _, kind := range kindKeys() {
		has := map[string]any{"required": []any{kind}}
		kinds = append(kinds, has)
		misplaced := map[string]any{}
		for _, f := range o.fields {
			if f.kinds != nil && !slices.Contains(f.kinds, kindOf(kind)) {
				misplaced[f.key] = false
			}
		}
		rules = append(rules, map[string]any{"if": has, "then": map[string]any{"properties": misplaced}})
	}
	def["oneOf"], def["allOf"] = kinds, rules
	return ref
}
