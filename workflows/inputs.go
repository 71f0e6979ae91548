package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// CheckInputs gives the values of all inputs: those given, and the defaults of
// the rest. Every unknown name, missing value and misfit is in the error.
func (w *Workflow) CheckInputs(given map[string]any) (map[string]any, error) {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if w.input(name) == nil {
			problems = append(problems, w.unknownInput(name))
		}
	}
	values := make(map[string]any, len(w.Inputs))
	for _, in := range w.Inputs {
		value, there := given[in.Name]
		switch {
		case there:
			problems = append(problems, in.check(value)...)
			values[in.Name] = value
		case in.Required:
			problems = append(problems, &InputError{Name: in.Name, Missing: true, message: fmt.Sprintf("input %q is missing%s", in.Name, in.about())})
		default:
			values[in.Name] = copyData(in.Default)
		}
	}
	return values, errors.Join(problems...)
}

// ParseInput reads the text of an input as a command line gives it: strings as
// they are, every other type as JSON. The value is not checked yet.
func (w *Workflow) ParseInput(name, text string) (any, error) {
	in := w.input(name)
	if in == nil {
		return nil, w.unknownInput(name)
	}
	if in.typeName == "string" {
		return text, nil
	}
	value, err := tree.ParseJSON(text)
	if err == nil {
		return value, nil
	}
	if in.typeName == "" {
		return text, nil
	}
	example := ""
	if in.typeName == "array" {
		example = listExample(in.keywords, text)
	}
	return nil, &InputError{Name: name, message: fmt.Sprintf("input %q: %s was expected as JSON, not %q%s", name, in.typeName, tree.Clip(text, 60), example)}
}

// An InputError is what is wrong with one input. [Workflow.CheckInputs] joins those of
// all.
type InputError struct {
	Name    string
	Missing bool // it is required, and not given
	Unknown bool // the workflow takes no input of that name
	message string
}

// Error says what is wrong, with the name.
func (e *InputError) Error() string { return e.message }

// listExample shows how words between commas are written as a list.
func listExample(keywords any, text string) string {
	schema, _ := keywords.(map[string]any)
	items, _ := schema["items"].(map[string]any)
	element := expression.SchemaTypeName(items)
	words := strings.Split(text, ",")
	for i, word := range words {
		if words[i] = strings.TrimSpace(word); element == "" || element == "string" {
			words[i] = strconv.Quote(words[i])
		}
	}
	return tree.Clip(fmt.Sprintf(" (such as -i '…=[%s]')", strings.Join(words, ",")), 80)
}

// input gives an input by name, or nil.
func (w *Workflow) input(name string) *Input {
	for i := range w.Inputs {
		if w.Inputs[i].Name == name {
			return &w.Inputs[i]
		}
	}
	return nil
}

// unknownInput is the error for a name that no input has.
func (w *Workflow) unknownInput(name string) error {
	names := make([]string, len(w.Inputs))
	for i, in := range w.Inputs {
		names[i] = in.Name
	}
	message := fmt.Sprintf("the workflow has no input %q", name)
	if hint := tree.DidYouMean(name, names); hint != "" {
		message += " (" + hint + ")"
	}
	return &InputError{Name: name, Unknown: true, message: message}
}

// about adds what an input is to a message.
func (in *Input) about() string {
	if in.Description == "" {
		return ""
	}
	return ": " + in.Description
}

// check gives everything in which a value does not fit the input's schema.
func (in *Input) check(value any) []error {
	misfits := misfitsOf(in.compiled, value)
	problems := make([]error, len(misfits))
	for i, m := range misfits {
		place := ""
		if m.Path != "" {
			place = " at " + m.Path
		}
		problems[i] = &InputError{Name: in.Name, message: fmt.Sprintf("input %q%s: %s", in.Name, place, m.Message)}
	}
	return problems
}

// misfitsOf gives every reason why a value does not fit; none without a schema.
func misfitsOf(schema *jsonschema.Schema, value any) []jsonschema.Problem {
	if schema == nil {
		return nil
	}
	return schema.Validate(value)
}

// copyData copies plain data, so that a default is never changed.
func copyData(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = copyData(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key := range v {
			m[key] = copyData(v[key])
		}
		return m
	}
	return v
}

// readInput makes an input of its schema and default.
func (p *parser) readInput(name, n *tree.Node) Input {
	data, _ := n.Data().(map[string]any)
	in := Input{Name: name.Text, Required: true}
	in.Description, _ = data["description"].(string)
	fallback := n.Get("default")
	if fallback != nil {
		in.Required, in.Default = false, data["default"]
		delete(data, "default")
	}
	in.keywords = data
	in.typeName = expression.SchemaTypeName(data)
	text, ok := p.schemaOf(n, data)
	if !ok {
		in.keywords, in.Schema = nil, json.RawMessage("{}")
		return in
	}
	in.Schema = text
	in.compiled, _ = p.loader.schemas.compile(string(text), data)
	if fallback != nil {
		for _, m := range misfitsOf(in.compiled, in.Default) {
			p.Errorf(fallback.Find(jsonschema.Tokens(m.Path)), diagnostic.CodeSchema, "the default does not fit the input's own schema: %s", m.Message)
		}
	}
	return in
}
