package workflows

import (
	"cmp"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A schemaSet compiles JSON Schemas, each once. Without $schema a schema is of draft
// 2020-12.
type schemaSet struct {
	known map[string]*jsonschema.Schema // by their text
}

// compile compiles a schema, given as JSON and as data. It returns a [*jsonschema.Error],
// also for patterns that can't be checked.
func (s *schemaSet) compile(text string, document any) (*jsonschema.Schema, error) {
	if schema, known := s.known[text]; known {
		return schema, nil
	}
	schema, err := jsonschema.Compile(document, jsonschema.Options{Strict: true})
	if err != nil {
		return nil, err
	}
	if s.known == nil {
		s.known = map[string]*jsonschema.Schema{}
	}
	s.known[text] = schema
	return schema, nil
}

// schemaText returns the JSON of a schema, and reports the mistakes in it.
func (p *parser) schemaText(n *tree.Node) (json.RawMessage, bool) {
	if n.Kind != tree.KindMap && n.Kind != tree.KindBool {
		p.Errorf(n, diagnostic.CodeSchema, "a JSON Schema must be a map, not %s", n.Describe())
		return nil, false
	}
	if !p.resolveFiles(n) || p.reportTypeless(n) {
		return nil, false
	}
	return p.schemaOf(n, n.Data())
}

// reportTypeless reports a map that as a schema would match everything, such as {title:
// string}, and warns of a schema that matches any text or number, too, because it has no
// type. It returns whether the map is no schema.
func (p *parser) reportTypeless(n *tree.Node) bool {
	has := func(keywords ...string) bool {
		return slices.ContainsFunc(keywords, func(keyword string) bool { return n.Get(keyword) != nil })
	}
	switch {
	case len(n.Entries) == 0 || has("type", "enum", "const", "$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "not", "if"):
		return false
	case has("properties", "required", "additionalProperties", "items"):
		p.Warnf(n, diagnostic.CodeSchema, "the schema names no type, so a text or a number fits it, too").Hint = "add type: object, or type: array"
		return false
	case slices.ContainsFunc(n.Entries, func(e tree.Entry) bool {
		says := e.Key.Text == "title" || e.Key.Text == "description" || e.Key.Text == "format" // and asks for nothing
		return !says && (slices.Contains(jsonschema.Keywords(), e.Key.Text) || strings.HasPrefix(e.Key.Text, "x-"))
	}):
		return false
	}
	p.Errorf(n, diagnostic.CodeSchema, "this is not a JSON Schema: it has no \"type\"").Hint =
		"such as {type: object, properties: {" + tree.Clip(n.Entries[0].Key.Text, 40) + ": {type: " + cmp.Or(format.Foreign("types")[n.Entries[0].Value.Text], "string") + "}}}"
	return true
}

// schemaOf is schemaText for a schema that is a part of a node's data.
func (p *parser) schemaOf(n *tree.Node, data any) (json.RawMessage, bool) {
	text, err := tree.CompactJSON(data)
	if err != nil {
		p.Errorf(n, diagnostic.CodeSchema, "%s", err)
		return nil, false
	}
	if _, err := p.loader.schemas.compile(text, data); err != nil {
		p.schemaError(n, err)
		return nil, false
	}
	p.noExpressionIn(n)
	return json.RawMessage(text), true
}

// warnAllOptional warns of a schema that an object without any of its properties fits, or a list of
// such objects: a model that answers {} has succeeded then.
func (p *parser) warnAllOptional(n *tree.Node) {
	object, empty := n, any(map[string]any{})
	if items := n.Get("items"); items != nil {
		object, empty = items, []any{empty}
	}
	properties := object.Get("properties")
	if properties == nil || len(properties.Entries) == 0 {
		return
	}
	data := n.Data()
	text, err := tree.CompactJSON(data)
	if err != nil {
		return
	}
	schema, err := p.loader.schemas.compile(text, data)
	if err != nil || len(schema.Validate(empty)) > 0 {
		return
	}
	var names []string
	for _, e := range properties.Entries {
		names = append(names, e.Key.Text)
	}
	p.Warnf(object.Key("properties"), diagnostic.CodeSchema, "no property is required, so an empty object {} fits the schema").
		Hint = "list those that must be there beside the properties: required: [" + tree.Clip(strings.Join(names, ", "), 60) + "]"
}

// schemaError reports the problems of a schema, each at its keyword.
func (p *parser) schemaError(n *tree.Node, err error) {
	var invalid *jsonschema.Error
	errors.As(err, &invalid) // it is one
	for _, problem := range invalid.Problems {
		at := n.Find(jsonschema.Tokens(problem.Path))
		if name := problem.Name; name != "" {
			p.Errorf(at.Key(name), diagnostic.CodeSchema, "JSON Schema has no keyword %q", name).
				Hint = cmp.Or(format.Foreign("keywords")[name], nearest.Hint(name, jsonschema.Keywords(), "a property stands under properties; names of your own begin with x-"))
			continue
		}
		d := p.Errorf(at, diagnostic.CodeSchema, "not a valid JSON Schema: %s", problem.Message)
		switch name := format.Foreign("types")[at.Text]; {
		case name != "" && problem.Keyword == "type":
			d.Hint = "write {type: " + name + "}"
		case name != "":
			d.Hint = "write " + name
		default:
			d.Hint = format.Foreign("keyword_values")[path.Base(problem.Path)]
		}
	}
}
