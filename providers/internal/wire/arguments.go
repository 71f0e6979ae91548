package wire

import (
	"bytes"
	"encoding/json"

	"github.com/a-seed-11b9befa/flow/providers"
)

// arguments returns a call's arguments as they came, but {} for the ways in
// which services write that there are none. What was cut stays cut.
func arguments(wire []byte) json.RawMessage {
	switch string(bytes.TrimSpace(wire)) {
	case "", "null", `""`, `"null"`:
		return json.RawMessage("{}")
	}
	return json.RawMessage(bytes.Clone(wire))
}

// ArgumentsText returns a call's arguments for a request. Those that are no
// JSON, because they were cut, go as {"invalid_json": "…"}: nothing of them is
// lost, and no service refuses the conversation for them.
func ArgumentsText(call providers.Block) string {
	if json.Valid(call.Arguments) {
		return string(call.Arguments)
	}
	if len(bytes.TrimSpace(call.Arguments)) == 0 {
		return "{}"
	}
	return string(JSON(map[string]string{"invalid_json": string(call.Arguments)}))
}

// ArgumentsObject is [ArgumentsText] for services that take arguments as an object
// and as nothing else. Others go as the text that they are.
func ArgumentsObject(call providers.Block) json.RawMessage {
	arguments := json.RawMessage(ArgumentsText(call))
	if bytes.HasPrefix(bytes.TrimSpace(arguments), []byte("{")) {
		return arguments
	}
	return JSON(map[string]string{"invalid_json": string(arguments)})
}

// Parameters returns the parameters of a tool; of one that names none, those of a
// tool that takes nothing.
func Parameters(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return schema
}
