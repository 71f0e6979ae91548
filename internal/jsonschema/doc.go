// Package jsonschema checks values against JSON Schemas, and schemas
// themselves, with messages that people and models can act on.
//
//	document, err := jsonschema.Parse(raw)
//	schema, err := jsonschema.Compile(document, jsonschema.Options{})
//	value, err := jsonschema.Parse(rawValue)
//	for _, p := range schema.Validate(value) {
//		fmt.Println(p) // /items/2/size: got string, want integer
//	}
//
// It reads the keywords of draft 2020-12 and those of draft 7 that it replaced (definitions,
// dependencies, items as a list), whatever $schema names. Nothing is loaded from elsewhere: a
// schema can refer to its own parts, by their pointers or literal names, and to a draft as a
// whole. $dynamicRef is refused. Not checked are patterns that Go's regexp does not support,
// unevaluatedItems and unevaluatedProperties; [Options].Strict refuses them.
//
// It exists because three things are needed together that no other package has: all problems
// of a value at once, since a model mends only what it is told of; exact numbers; and a limit
// of work, depth and size, since schemas come from servers that may be hostile. A value beyond
// the limits does not fit.
package jsonschema
