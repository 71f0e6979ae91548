package wire

import (
	"bytes"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
)

// arguments returns a call's arguments as received, but {} for the ways in which services
// write that there are none. They may be cut off.
func arguments(wire []byte) json.RawMessage {
	switch string(bytes.TrimSpace(wire)) {
	case "", "null", `""`, `"null"`:
		return json.RawMessage("{}")
	}
	return json.RawMessage(bytes.Clone(wire))
}

// ArgumentsText returns a call's arguments for a request. Invalid JSON, which was cut off,
// becomes {"invalid_json": "…"}: nothing of it is lost, and no service refuses the
// conversation.
func ArgumentsText(call providers.Block) string {
	if json.Valid(call.Arguments) {
		return string(call.Arguments)
	}
	if len(bytes.TrimSpace(call.Arguments)) == 0 {
		return "{}"
	}
	return string(JSON(map[string]string{"invalid_json": string(call.Arguments)}))
}

// ArgumentsObject is [ArgumentsText] for services that accept only objects. Other JSON also
// becomes {"invalid_json": "…"}.
func ArgumentsObject(call providers.Block) json.RawMessage {
	arguments := json.RawMessage(ArgumentsText(call))
	if bytes.HasPrefix(bytes.TrimSpace(arguments), []byte("{")) {
		return arguments
	}
	return JSON(map[string]string{"invalid_json": string(arguments)})
}

// Parameters returns the parameters of a tool; an object without properties by default.
func Parameters(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return schema
}
