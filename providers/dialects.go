package providers

import (
	"encoding/json"
	"math"
	"slices"
)

// StrictSchema adapts a JSON Schema to what OpenAI and compatible services accept with
// "strict": true, and reports whether that is possible without changing what the schema
// means: each object is closed and requires all of its properties, and strict mode
// supports each keyword. Objects that list properties and don't mention others become
// closed, and annotations that strict mode refuses are left out. Properties keep their
// order. Where it is not possible it returns the schema unchanged and false.
//
// See https://platform.openai.com/docs/guides/structured-outputs.
func StrictSchema(schema json.RawMessage) (json.RawMessage, bool) {
	return schemaDialect{rule: strictRule, optional: 0, unions: math.MaxInt, recursive: true, explicit: true}.adapt(schema)
}

// ClosedSchema adapts a JSON Schema to what Anthropic's structured outputs accept, and
// reports whether that is possible. Every object is closed. Bounds that are not supported
// (minimum, maxLength, pattern …) move to the description, so the caller has to validate
// the answer. Properties keep their order. For maps, recursive schemas, and keywords that
// combine schemas in other ways than anyOf, it returns the schema unchanged and false.
//
// See https://platform.claude.com/docs/en/build-with-claude/structured-outputs.
func ClosedSchema(schema json.RawMessage) (json.RawMessage, bool) {
	return schemaDialect{rule: closedRule, optional: 24, unions: 16}.adapt(schema)
}

func strictRule(m member) rule {
	switch m.key {
	case "const", "pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems":
		return keep
	case "enum":
		values, _ := m.value.([]any)
		return keepOr(refuse, len(values) > 0)
	case "format":
		return keepOr(refuse, m.value != "uri" && isFormat(m.value))
	}
	return commonRule(m)
}

func closedRule(m member) rule {
	switch m.key {
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
	case "$id":
		return leaveOut
	case "oneOf":
		return union
	}
	return commonRule(m)
}

// commonRule is the rule for a keyword that both dialects treat alike.
func commonRule(m member) rule {
	switch m.key {
	case "type", "required", "additionalProperties", "title", "description":
		return keep
	case "$schema", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly":
		return leaveOut
	case "items":
		return oneSchema
	case "properties", "$defs", "definitions":
		return eachSchema
	case "anyOf":
		return union
	}
	return refuse
}

// keepOr is the rule for a keyword of which a service supports only some values.
func keepOr(otherwise rule, supported bool) rule {
	if supported {
		return keep
	}
	return otherwise
}

func isScalar(value any) bool {
	switch value.(type) {
	case ordered, []any:
		return false
	}
	return true
}

// isFormat reports whether the services support a format of strings.
func isFormat(name any) bool {
	return slices.Contains([]any{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}, name)
}
