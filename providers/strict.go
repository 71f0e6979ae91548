package providers

import (
	"encoding/json"
	"math"
	"slices"
)

// StrictSchema adapts a JSON Schema to what OpenAI and those who follow it
// accept with "strict": true, and reports whether that is possible without
// changing what the schema means: each object is closed and has all of its
// properties required, and no keyword is there that strict mode does not know.
// An object with listed properties that says nothing of others is closed, and
// annotations that strict mode refuses are left out. Properties keep their
// order. It reports false, and returns the schema as it came, for any other.
//
// See https://platform.openai.com/docs/guides/structured-outputs.
func StrictSchema(schema json.RawMessage) (json.RawMessage, bool) {
	// The limits are the older and lower ones of OpenAI's where they were raised: a
	// compatible service may not have followed.
	return schemaDialect{
		rule:  strictRule,
		depth: 5, properties: 100, optional: 0, unions: math.MaxInt,
		recursive: true, explicit: true, empty: true,
	}.adapt(schema)
}

// strictEnum is how many values OpenAI takes.
const strictEnum = 500

func strictRule(m member) rule {
	switch m.key {
	case "type", "required", "additionalProperties", "title", "description", "const", "pattern",
		"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems":
		return keep
	case "enum":
		values, _ := m.value.([]any)
		return keepIf(len(values) > 0 && len(values) <= strictEnum)
	case "format":
		return keepIf(m.value != "uri" && isFormat(m.value))
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

func keepIf(known bool) rule {
	if known {
		return keep
	}
	return refuse
}

// isFormat reports whether the services know a format of texts.
func isFormat(name any) bool {
	return slices.Contains([]any{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}, name)
}
