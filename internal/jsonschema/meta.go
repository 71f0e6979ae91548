package jsonschema

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"sync"
)

// metaText is the schema of schemas: every known keyword, and what its value may be. Those of one
// draft are known in all.
//
//go:embed meta.json
var metaText string

// metaDocument is the schema of schemas as plain data.
func metaDocument() map[string]any {
	var document map[string]any
	if err := json.Unmarshal([]byte(metaText), &document); err != nil {
		panic(err)
	}
	return document
}

// Both values of [Options.Strict] have a schema of schemas.
var lenientMeta = sync.OnceValue(func() *Schema { return compileMeta(metaDocument()) })

var strictMeta = sync.OnceValue(func() *Schema {
	document := metaDocument()
	document["additionalProperties"] = false
	document["patternProperties"] = map[string]any{"^([$]|x-)": true}
	return compileMeta(document)
})

func compileMeta(document map[string]any) *Schema {
	c := newCompiler(document, Options{}, nil)
	return c.finish(c.node(document))
}

// Keywords returns the known keywords, sorted.
func Keywords() []string {
	properties, _ := metaDocument()["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}
