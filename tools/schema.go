package tools

import (
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
)

// Schema is a compiled JSON Schema of drafts 4 to 2020-12. It checks formats, and loads
// nothing from elsewhere. It is safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
}

// CompileSchema compiles a JSON Schema. A pattern that Go's regexp does not support, such
// as one with look-around, is not checked: see [Schema.Warnings].
func CompileSchema(raw json.RawMessage) (*Schema, error) {
	document, err := jsonschema.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := jsonschema.Compile(document, jsonschema.Options{Formats: true})
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{compiled}, nil
}

// Warnings returns what of the schema is not checked, and why.
func (s *Schema) Warnings() []string {
	var warnings []string
	for _, p := range s.compiled.Unchecked() {
		warnings = append(warnings, p.Message)
	}
	return warnings
}

// Validate returns what makes a value invalid: at most 20 problems, and one that says how
// many more there are. For a valid value it returns none. Numbers of any size are compared
// exactly.
func (s *Schema) Validate(value json.RawMessage) []Problem {
	v, err := jsonschema.Parse(value)
	if err != nil {
		return []Problem{{Message: err.Error()}}
	}
	return s.check(v)
}

func (s *Schema) check(v any) []Problem {
	var problems []Problem
	for _, p := range s.compiled.Validate(v) {
		problems = append(problems, Problem{Path: p.Path, Message: p.Message, missing: p.Keyword == "required"})
	}
	return problems
}
