package tools

import (
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
)

// Schema is a compiled JSON Schema. Its method Validate returns every mismatch of a value, and nil
// for one that fits. The value is plain data, as encoding/json decodes it into an any.
type Schema = jsonschema.Schema

// CompileSchema compiles a JSON Schema of draft 7 to 2020-12. It checks formats, and loads
// nothing from elsewhere. A pattern that Go's regexp does not support, such as one with
// look-around, is not checked.
func CompileSchema(raw json.RawMessage) (*Schema, error) {
	document, err := jsonschema.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := jsonschema.Compile(document, jsonschema.Options{Formats: true})
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return compiled, nil
}
