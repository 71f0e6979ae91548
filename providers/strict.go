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
	// OpenAI has raised some of these limits; compatible services may not have followed.
	return schemaDialect{
		rule:  strictRule,
		depth: 5, properties: 100, optional: 0, unions: math.MaxInt,
		recursive: true, explicit: true, empty: true,
	}.adapt(schema)
}

const strictEnum = 500 // values that OpenAI accepts

func strictRule(m member) rule {
	switch m.key {
	case "type", "required", "additionalProperties", "title", "description", "const", "pattern",
		"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems":
		return keep
	case "enum":
		values, _ := m.value.([]any)
		return keepOr(refuse, len(values) > 0 && len(values) <= strictEnum)
	case "format":
		return keepOr(refuse, m.value != "uri" && isFormat(m.value))
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

// isFormat reports whether the services support a format of strings.
func isFormat(name any) bool {
	return slices.Contains([]any{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}, name)
}
