package jsonschema

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// A keyword reads its value.
type keyword func(r *reader, v any)

// IsKeyword reports whether a name is a known keyword.
func IsKeyword(name string) bool { return keywords()[name] != nil }

// keywords are all known keywords. Those of one draft are read in all of them.
var keywords = sync.OnceValue(func() map[string]keyword {
	note := func(r *reader, v any) { r.text(v) }
	mark := func(r *reader, v any) { r.boolean(v) }
	parts := func(r *reader, v any) { r.byName(v) }
	ignored := func(*reader, any) {}
	return map[string]keyword{
		"type":  readType,
		"enum":  readEnum,
		"const": func(r *reader, v any) { r.node.constant = newEnum([]any{v}) },

		"minimum":          func(r *reader, v any) { r.node.minimum = r.number(v) },
		"maximum":          func(r *reader, v any) { r.node.maximum = r.number(v) },
		"exclusiveMinimum": func(r *reader, v any) { r.node.above = r.exclusive(v, "minimum") },
		"exclusiveMaximum": func(r *reader, v any) { r.node.below = r.exclusive(v, "maximum") },
		"multipleOf":       readMultipleOf,

		"minLength": func(r *reader, v any) { r.node.minLength = r.count(v) },
		"maxLength": func(r *reader, v any) { r.node.maxLength = r.count(v) },
		"pattern":   readPattern,
		"format":    readFormat,

		"minItems":        func(r *reader, v any) { r.node.minItems = r.count(v) },
		"maxItems":        func(r *reader, v any) { r.node.maxItems = r.count(v) },
		"uniqueItems":     func(r *reader, v any) { r.node.unique = r.boolean(v) },
		"prefixItems":     func(r *reader, v any) { r.node.prefix = r.schemas(v) },
		"items":           readItems,
		"additionalItems": readAdditionalItems,
		"contains":        func(r *reader, v any) { r.node.contains = r.schema(v) },
		"minContains":     func(r *reader, v any) { r.node.minContains = r.count(v) },
		"maxContains":     func(r *reader, v any) { r.node.maxContains = r.count(v) },

		"minProperties":        func(r *reader, v any) { r.node.minProperties = r.count(v) },
		"maxProperties":        func(r *reader, v any) { r.node.maxProperties = r.count(v) },
		"required":             func(r *reader, v any) { r.node.required = r.names(r.at(), v) },
		"properties":           func(r *reader, v any) { r.node.properties = r.byName(v) },
		"patternProperties":    readPatternProperties,
		"additionalProperties": func(r *reader, v any) { r.node.additional = r.schema(v) },
		"propertyNames":        func(r *reader, v any) { r.node.names = r.schema(v) },
		"dependentRequired":    readDependencies,
		"dependentSchemas":     readDependencies,
		"dependencies":         readDependencies,

		"allOf": func(r *reader, v any) { r.node.all = r.schemas(v) },
		"anyOf": func(r *reader, v any) { r.node.any = r.schemas(v) },
		"oneOf": func(r *reader, v any) { r.node.one = r.schemas(v) },
		"not":   func(r *reader, v any) { r.node.not = r.schema(v) },
		"if":    func(r *reader, v any) { r.node.condition = r.schema(v) },
		"then":  func(r *reader, v any) { r.node.then = r.schema(v) },
		"else":  func(r *reader, v any) { r.node.otherwise = r.schema(v) },

		"$ref": readRef, "$dynamicRef": refuseDynamic, "$recursiveRef": refuseDynamic,
		"$id": readName, "$anchor": readName, "$schema": readDraft, "$defs": parts, "definitions": parts,

		"nullable": func(r *reader, v any) { r.node.nullable = r.boolean(v) },
		"title":    note, "description": note, "$comment": note, "contentEncoding": note, "contentMediaType": note,
		"deprecated": mark, "readOnly": mark, "writeOnly": mark,
		"default": ignored, "example": ignored, "id": ignored, "contentSchema": ignored,
		"examples": func(r *reader, v any) {
			if _, isList := v.([]any); !isList {
				r.want(r.at(), v, "array")
			}
		},
		"unevaluatedItems": leaveUnchecked, "unevaluatedProperties": leaveUnchecked,
	}
})

// leaveUnchecked records a keyword that depends on all others beside it.
func leaveUnchecked(r *reader, _ any) {
	r.unchecked.add(Problem{Path: r.at(), Message: r.name + " can't be checked; additionalProperties and items can"})
}

// ownKeyword reports whether a name is reserved for extensions.
func ownKeyword(name string) bool {
	return strings.HasPrefix(name, "$") || strings.HasPrefix(name, "x-")
}

// meantKeyword returns the keyword that was meant by a name; "" for none, where the name may
// be an extension. slip says that the two differ only by a slip.
func (c *compiler) meantKeyword(name string) (meant string, slip bool) {
	foreign := map[string]string{"min": "minimum", "max": "maximum", "options": "enum", "choices": "enum", "values": "enum"}[name]
	slips := 2
	switch {
	case foreign != "":
		return foreign, false
	case len(name) < 3 || len(name) > 40:
		return "", false
	case len(name) == 3:
		slips = 1
	case len(name) > 9:
		slips = 3
	}
	const rare = " if then else not id example minContains maxContains additionalItems dependencies contentEncoding contentMediaType contentSchema nullable "
	common := slices.DeleteFunc(slices.Sorted(maps.Keys(c.keywords)), func(k string) bool { return ownKeyword(k) || strings.Contains(rare, " "+k+" ") })
	meant = nearest.Within(slips, name, common)
	return meant, meant != ""
}
