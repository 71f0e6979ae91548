package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
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

// schemaURL is where schemas stand while they are compiled.
const schemaURL = "flow:///schema/"

// A schemaSet compiles JSON Schemas, equal ones once. Without $schema a schema
// is of draft 2020-12.
type schemaSet struct {
	compiler *jsonschema.Compiler // made with the first schema
	known    map[string]*jsonschema.Schema
}

// compile compiles a schema given as JSON. A compiler that has failed is given up:
// it may keep what it could not read.
func (s *schemaSet) compile(text string) (*jsonschema.Schema, error) {
	if schema, known := s.known[text]; known {
		return schema, nil
	}
	if s.compiler == nil {
		s.known = map[string]*jsonschema.Schema{}
		s.compiler = jsonschema.NewCompiler()
		s.compiler.DefaultDraft(jsonschema.Draft2020)
		s.compiler.UseLoader(denyAll{})
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	url := schemaURL + hexSHA256([]byte(text))
	if err := s.compiler.AddResource(url, doc); err != nil {
		return nil, err
	}
	schema, err := s.compiler.Compile(url)
	if err != nil {
		s.compiler = nil // it may keep what it could not read
		return nil, err
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
		return nil, false
	}
	p.checkKeywords(n)
	return json.RawMessage(text), true
}

// maxSchemaDepth bounds the time that compiling a schema takes, which grows with
// the square of its depth.
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
	var invalid *jsonschema.SchemaValidationError
	var misfit *jsonschema.ValidationError
	var pattern *jsonschema.InvalidRegexError
	var far *jsonschema.LoadURLError
	switch {
	case errors.As(err, &invalid) && errors.As(invalid.Err, &misfit):
		for _, leaf := range leaves(misfit) {
			p.errorf(n.find(leaf.InstanceLocation), codeSchema, "not a valid JSON Schema: %s", leafMessage(leaf))
		}
	case errors.As(err, &pattern):
		_, pointer, _ := strings.Cut(pattern.URL, "#/")
		p.errorf(n.find(strings.Split(pointer, "/")), codeSchema, "not a valid JSON Schema: the pattern %q can't be read: %s", pattern.Regex, pattern.Err)
	case errors.As(err, &far):
		p.errorf(n, codeSchema, "not a valid JSON Schema: %s", far.Err)
	default:
		message, _, _ := strings.Cut(withoutPlaces(err.Error()), "\n")
		p.errorf(n, codeSchema, "not a valid JSON Schema: %s", message)
	}
}

// withoutPlaces leaves out of a message where schemas stand.
func withoutPlaces(message string) string {
	return regexp.MustCompile(schemaURL+`[0-9a-f]*`).ReplaceAllString(message, "")
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
	// The branches of an alternative all fail at one place; the first is enough.
	all = slices.CompactFunc(all, func(a, b *jsonschema.ValidationError) bool {
		return slices.Equal(a.InstanceLocation, b.InstanceLocation)
	})
	return all[:min(len(all), maxLeaves)]
}

// leafMessage gives the library's words with our quotes.
func leafMessage(e *jsonschema.ValidationError) string {
	return strings.ReplaceAll(e.ErrorKind.LocalizedString(message.NewPrinter(language.English)), "'", `"`)
}
