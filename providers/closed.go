package providers

import (
	"encoding/json"
	"math"
	"slices"
)

// ClosedSchema adapts a JSON Schema to what Anthropic's structured outputs accept, and
// reports whether that is possible. Every object is closed. Bounds that are not supported
// (minimum, maxLength, pattern …) move to the description, so the caller has to validate
// the answer. Properties keep their order. For maps, recursive schemas, and keywords that
// combine schemas in other ways than anyOf, it returns the schema unchanged and false.
//
// See https://platform.claude.com/docs/en/build-with-claude/structured-outputs.
func ClosedSchema(schema json.RawMessage) (json.RawMessage, bool) {
	// The limits are Anthropic's, but for that of the depth.
	return schemaDialect{
		rule:  closedRule,
		depth: 32, properties: math.MaxInt, optional: 24, unions: 16,
		rootUnion: true,
	}.adapt(schema)
}

func closedRule(m member) rule {
	switch m.key {
	case "type", "title", "description", "required", "additionalProperties":
		return keep
	case "const":
		return keepOr(refuse, isScalar(m.value))
	case "enum":
		values, _ := m.value.([]any)
		return keepOr(refuse, len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { return !isScalar(v) }))
	case "minItems":
		return keepOr(say, m.value == json.Number("0") || m.value == json.Number("1"))
	case "format":
		return keepOr(say, isFormat(m.value))
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"pattern", "maxItems", "uniqueItems", "minProperties", "maxProperties":
		return say
	case "$schema", "$id", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly":
		return leaveOut
	case "items":
		return oneSchema
	case "properties", "$defs", "definitions":
		return eachSchema
	case "anyOf", "oneOf":
		return union
	}
	return refuse
}

func isScalar(value any) bool {
	switch value.(type) {
	case ordered, []any:
		return false
	}
	return true
}
