package workflows

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
)

// A schemaSet compiles JSON Schemas, equal ones once. Without $schema a schema
// is of draft 2020-12.
type schemaSet struct {
	known map[string]*jsonschema.Schema // by their text
}

// compile compiles a schema given as JSON. The error is a [*jsonschema.Error]
// where the text is JSON; patterns that can't be checked are in it.
func (s *schemaSet) compile(text string) (*jsonschema.Schema, error) {
	if schema, known := s.known[text]; known {
		return schema, nil
	}
	document, err := jsonschema.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	schema, err := jsonschema.Compile(document, jsonschema.Options{})
	if err != nil {
		return nil, err
	}
	if unchecked := schema.Unchecked(); len(unchecked) > 0 {
		return nil, &jsonschema.Error{Problems: unchecked}
	}
	if s.known == nil {
		s.known = map[string]*jsonschema.Schema{}
	}
	s.known[text] = schema
	return schema, nil
}

// schemaText gives the JSON of a schema, and reports, inside of it, what is
// wrong with it.
func (p *parser) schemaText(n *node) (json.RawMessage, bool) {
	if n.kind != kindMap && n.kind != kindBool {
		p.errorf(n, codeSchema, "a JSON Schema must be a map, not %s", describe(n))
		return nil, false
	}
	return p.schemaOf(n, n.data())
}

// schemaOf is schemaText for a schema that is only part of a node's data.
func (p *parser) schemaOf(n *node, data any) (json.RawMessage, bool) {
	if depth(data, maxSchemaDepth) > maxSchemaDepth {
		p.errorf(n, codeSchema, "the JSON Schema is nested more than %d levels deep", maxSchemaDepth)
		return nil, false
	}
	text, err := compactJSON(data)
	if err != nil {
		p.errorf(n, codeSchema, "%s", err)
		return nil, false
	}
	if _, err := p.loader.schemas.compile(text); err != nil {
		p.schemaError(n, err)
		p.checkKeywords(n)
		return nil, false
	}
	p.checkKeywords(n)
	return json.RawMessage(text), true
}

// maxSchemaDepth is deeper than any schema that somebody writes.
const maxSchemaDepth = 100

// depth tells how deep data nests, and does not look further than most.
func depth(v any, most int) int {
	deepest := 0
	if most < 0 {
		return 1
	}
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			deepest = max(deepest, depth(element, most-1))
		}
	case map[string]any:
		for _, element := range v {
			deepest = max(deepest, depth(element, most-1))
		}
	default:
		return 0
	}
	return deepest + 1
}

// schemaError reports why a schema can't be used, at the keyword.
func (p *parser) schemaError(n *node, err error) {
	var invalid *jsonschema.Error
	if !errors.As(err, &invalid) {
		p.errorf(n, codeSchema, "not a valid JSON Schema: %s", err)
		return
	}
	for _, problem := range invalid.Problems {
		at := n.find(jsonschema.Tokens(problem.Path))
		d := p.errorf(at, codeSchema, "not a valid JSON Schema: %s", problem.Message)
		if at.kind == kindBool && at == n.get("required") {
			d.Hint = `an input without "default" is required, and one with it is not; in a schema "required" lists the keys of an object`
		}
	}
}

// find gives the node that a JSON pointer leads to, or the last one on the way.
func (n *node) find(path []string) *node {
	for _, step := range path {
		next := n.get(step)
		if n.kind == kindList {
			next = nil
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.items) {
				next = n.items[i]
			}
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}
