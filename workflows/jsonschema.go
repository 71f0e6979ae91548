package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// denyAll is a loader that reaches nothing: a schema may refer to itself and to
// the drafts that the library has built in.
type denyAll struct{}

// Load refuses.
func (denyAll) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is out of reach: a schema may only refer to itself", url)
}

// schemaURL is where a schema stands while it is compiled.
const schemaURL = "flow:///schema"

// compileSchema compiles a JSON Schema. Without $schema it is draft 2020-12.
func compileSchema(text []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(denyAll{})
	if err := compiler.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	return compiler.Compile(schemaURL)
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
	text, err := compactJSON(data)
	if err != nil {
		p.errorf(n, codeSchema, "%s", err)
		return nil, false
	}
	if p.schemas[text] {
		return json.RawMessage(text), true
	}
	if _, err := compileSchema([]byte(text)); err != nil {
		p.schemaError(n, err)
		return nil, false
	}
	p.hintKeywords(n)
	p.schemas[text] = true
	return json.RawMessage(text), true
}

// schemaError reports why a schema can't be used, at the keyword.
func (p *parser) schemaError(n *node, err error) {
	var invalid *jsonschema.SchemaValidationError
	var misfit *jsonschema.ValidationError
	var pattern *jsonschema.InvalidRegexError
	switch {
	case errors.As(err, &invalid) && errors.As(invalid.Err, &misfit):
		for _, leaf := range leaves(misfit) {
			p.errorf(n.find(leaf.InstanceLocation), codeSchema, "not a valid JSON Schema: %s", leafMessage(leaf))
		}
	case errors.As(err, &pattern):
		_, pointer, _ := strings.Cut(pattern.URL, "#/")
		p.errorf(n.find(strings.Split(pointer, "/")), codeSchema, "not a valid JSON Schema: the pattern %q can't be read: %s", pattern.Regex, pattern.Err)
	default:
		message, _, _ := strings.Cut(strings.ReplaceAll(err.Error(), schemaURL, ""), "\n")
		p.errorf(n, codeSchema, "not a valid JSON Schema: %s", message)
	}
}

// find gives the node that a JSON pointer leads to, or the last one on the way.
func (n *node) find(path []string) *node {
	for _, step := range path {
		next := n.get(step)
		if n.kind == kindList {
			next = nil
			var i int
			if _, err := fmt.Sscanf(step, "%d", &i); err == nil && i >= 0 && i < len(n.items) {
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

// maxLeaves is how many misfits of one value are told.
const maxLeaves = 20

// leaves gives the misfits that have no causes of their own.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all[:min(len(all), maxLeaves)]
}

func leafMessage(e *jsonschema.ValidationError) string {
	return strings.ReplaceAll(e.ErrorKind.LocalizedString(message.NewPrinter(language.English)), "'", `"`)
}

// hintKeywords warns of keywords that are most likely misspelt: JSON Schema
// itself takes any.
func (p *parser) hintKeywords(n *node) {
	known := []string{"additionalProperties", "anyOf", "allOf", "oneOf", "const", "default", "description", "enum", "examples", "format", "items", "maximum", "minimum",
		"maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties", "multipleOf", "pattern", "patternProperties", "prefixItems", "properties",
		"required", "title", "type", "uniqueItems"}
	for _, e := range n.entries {
		name := e.key.text
		near := nearest(name, known)
		if near != "" && near != name && len(name) > 3 && !schemaKeyword(name) {
			p.warnf(e.key, codeSchema, "JSON Schema has no keyword %q, so it is ignored", name).Hint = didYouMean(name, known)
		}
		switch name {
		case "properties":
			for _, property := range e.value.entries {
				p.hintKeywords(property.value)
			}
		case "items":
			p.hintKeywords(e.value)
		}
	}
}

// schemaKeyword reports whether a name is one of the less common keywords.
func schemaKeyword(name string) bool {
	switch name {
	case "if", "then", "else", "not", "contains", "minContains", "maxContains", "dependentRequired", "dependentSchemas", "propertyNames", "unevaluatedItems",
		"unevaluatedProperties", "definitions", "dependencies", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema",
		"exclusiveMaximum", "exclusiveMinimum", "additionalItems", "example", "id":
		return true
	}
	return strings.HasPrefix(name, "$") || strings.HasPrefix(name, "x-")
}
