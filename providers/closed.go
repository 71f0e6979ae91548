package providers

import (
	"encoding/json"
	"math"
	"slices"
)

// ClosedSchema adapts a JSON Schema to what Anthropic's structured outputs
// accept, and reports whether that is possible. Every object is closed; bounds
// that are not known there (minimum, maxLength, pattern …) become words of the
// description, so that whoever reads the answer has to look at them once more.
// Properties keep their order. It reports false, and returns the schema as it
// came, where the answer could not be held to it: for maps, for schemas that
// refer to themselves, and for keywords that combine others in other ways than
// anyOf.
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
		return keepIf(isScalar(m.value))
	case "enum":
		values, _ := m.value.([]any)
		return keepIf(len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { return !isScalar(v) }))
	case "minItems":
		return keepOrSay(m.value == json.Number("0") || m.value == json.Number("1"))
	case "format":
		return keepOrSay(isFormat(m.value))
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

func keepOrSay(known bool) rule {
	if known {
		return keep
	}
	return say
}

func isScalar(value any) bool {
	switch value.(type) {
	case ordered, []any:
		return false
	}
	return true
}
