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
// Drafts 4 to 2020-12 are understood; the last one is taken where $schema names
// none, and the spellings of draft-07 (definitions, dependencies, items as a
// list) are understood in it, too. Numbers are compared exactly. Nothing is
// ever loaded from elsewhere: a schema can refer to its own parts, and to a
// draft as a whole.
//
// Schemas and values may be hostile: patterns run in linear time (those that
// need more are not checked, see [Schema.Unchecked]), and depth, size and work
// are bounded. What the bounds cut off is an error, never a fit.
package jsonschema
