package jsonschema

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
)

// metaText is the schema of schemas: every known keyword, and what its value may be. Those of one
// draft are known in all.
const metaText = `{
	"$defs": {
		"schemas": {"type": "array", "items": {"$ref": "#"}, "minItems": 1},
		"named": {"type": "object", "additionalProperties": {"$ref": "#"}},
		"strings": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
		"schemaOrStrings": {"if": {"type": "array"}, "then": {"$ref": "#/$defs/strings"}, "else": {"$ref": "#"}},
		"count": {"type": "integer", "minimum": 0},
		"type": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]}
	},
	"type": ["object", "boolean"],
	"properties": {
		"type": {
			"type": ["string", "array"], "items": {"$ref": "#/$defs/type"}, "minItems": 1, "uniqueItems": true,
			"if": {"type": "string"}, "then": {"$ref": "#/$defs/type"}
		},
		"enum": {"type": "array"}, "const": true,
		"minimum": {"type": "number"}, "maximum": {"type": "number"},
		"exclusiveMinimum": {"type": "number"}, "exclusiveMaximum": {"type": "number"},
		"multipleOf": {"type": "number", "exclusiveMinimum": 0},
		"minLength": {"$ref": "#/$defs/count"}, "maxLength": {"$ref": "#/$defs/count"},
		"pattern": {"type": "string"}, "format": {"type": "string"},
		"minItems": {"$ref": "#/$defs/count"}, "maxItems": {"$ref": "#/$defs/count"}, "uniqueItems": {"type": "boolean"},
		"prefixItems": {"$ref": "#/$defs/schemas"},
		"items": {"if": {"type": "array"}, "then": {"items": {"$ref": "#"}}, "else": {"$ref": "#"}},
		"additionalItems": {"$ref": "#"},
		"contains": {"$ref": "#"}, "minContains": {"$ref": "#/$defs/count"}, "maxContains": {"$ref": "#/$defs/count"},
		"minProperties": {"$ref": "#/$defs/count"}, "maxProperties": {"$ref": "#/$defs/count"},
		"required": {"$ref": "#/$defs/strings"},
		"properties": {"$ref": "#/$defs/named"}, "patternProperties": {"$ref": "#/$defs/named"},
		"additionalProperties": {"$ref": "#"}, "propertyNames": {"$ref": "#"},
		"dependentRequired": {"type": "object", "additionalProperties": {"$ref": "#/$defs/strings"}},
		"dependentSchemas": {"$ref": "#/$defs/named"},
		"dependencies": {"type": "object", "additionalProperties": {"$ref": "#/$defs/schemaOrStrings"}},
		"allOf": {"$ref": "#/$defs/schemas"}, "anyOf": {"$ref": "#/$defs/schemas"}, "oneOf": {"$ref": "#/$defs/schemas"},
		"not": {"$ref": "#"}, "if": {"$ref": "#"}, "then": {"$ref": "#"}, "else": {"$ref": "#"},
		"$ref": {"type": "string"}, "$id": {"type": "string"}, "$anchor": {"type": "string"}, "$schema": {"type": "string"},
		"$defs": {"$ref": "#/$defs/named"}, "definitions": {"$ref": "#/$defs/named"},
		"title": {"type": "string"}, "description": {"type": "string"}, "examples": {"type": "array"},
		"deprecated": {"type": "boolean"}, "readOnly": {"type": "boolean"}, "writeOnly": {"type": "boolean"},
		"default": true, "example": true, "id": true, "contentEncoding": true, "contentMediaType": true, "contentSchema": true,
		"unevaluatedItems": true, "unevaluatedProperties": true
	}
}`

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
