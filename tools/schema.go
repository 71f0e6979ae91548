package tools

import (
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
)

// A Schema is a JSON Schema that values are checked against. Drafts 4 to
// 2020-12 are understood, formats are checked, and nothing is
// loaded from elsewhere. It is safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
}

// CompileSchema compiles raw. A pattern that Go's regexp does not understand,
// such as one that looks around, checks nothing: see [Schema.Warnings].
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

// Warnings says what of the schema is not checked, and why.
func (s *Schema) Warnings() []string {
	var warnings []string
	for _, p := range s.compiled.Unchecked() {
		warnings = append(warnings, p.Message)
	}
	return warnings
}

// Validate returns everything about value that does not fit, at most 20
// problems and how many more there are; none where it fits. Numbers of any size
// are compared exactly.
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
