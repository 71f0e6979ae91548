package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// CheckInputs returns the values of all inputs: those given, and defaults for the rest.
// The error joins an [InputError] for each unknown name, missing value and mismatch.
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
			message := fmt.Sprintf("the required input %q is missing", in.Name)
			if in.Description != "" {
				message += ": " + in.Description
			}
			problems = append(problems, &InputError{Name: in.Name, Missing: true, message: message})
		default:
			values[in.Name] = in.fallback.Data() // a copy: the caller may change it
		}
	}
	return values, errors.Join(problems...)
}

// ParseInput parses an input from a command line: a string as it is, any other type as
// JSON. It does not check the value.
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
	return nil, &InputError{Name: name, message: fmt.Sprintf("input %q: expected %s, got %q", name, in.typeName, tree.Clip(text, 60))}
}

// An InputError is what is wrong with one input.
type InputError struct {
	Name    string
	Missing bool // it is required, and not given
	Unknown bool // the workflow has no input of that name
	message string
}

// Error returns the message, which has the name.
func (e *InputError) Error() string { return e.message }

// input returns an input by name, or nil.
func (w *Workflow) input(name string) *Input {
	i := slices.IndexFunc(w.Inputs, func(in Input) bool { return in.Name == name })
	if i < 0 {
		return nil
	}
	return &w.Inputs[i]
}

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

// check returns an error for each mismatch of a value with the input's schema.
func (in *Input) check(value any) (problems []error) {
	for _, m := range in.compiled.Validate(value) {
		path := ""
		if m.Path != "" {
			path = " at " + m.Path
		}
		problems = append(problems, &InputError{Name: in.Name, message: fmt.Sprintf("input %q%s: %s", in.Name, path, m.Message)})
	}
	return problems
}

// readInput makes an input of its schema and default.
func (p *parser) readInput(name, n *tree.Node) Input {
	resolved := p.resolveFiles(n)
	data, _ := n.Data().(map[string]any)
	in := Input{Name: name.Text, Required: true}
	in.Description, _ = data["description"].(string)
	fallback := n.Get("default")
	if in.fallback = fallback; fallback != nil {
		in.Required, in.Default = false, data["default"]
		if strings.Contains(fallback.Text, expression.OpenMark) {
			p.Warnf(fallback, diagnostic.CodeValue, "the default of an input is a value as it stands: no expression is evaluated in it").Hint = fmt.Sprintf("without a default of its own, write ${{ inputs.%s ?? … }} where it is used", name.Text)
		}
		delete(data, "default")
	}
	in.keywords = data
	in.typeName = expression.SchemaTypeName(data)
	text, ok := json.RawMessage(nil), false
	if resolved {
		text, ok = p.schemaOf(n, data)
	}
	if !ok {
		in.keywords, in.Schema = nil, json.RawMessage("{}")
		return in
	}
	in.Schema = text
	in.compiled, _ = p.loader.schemas.compile(string(text), data)
	if fallback != nil {
		for _, m := range in.compiled.Validate(in.Default) {
			p.Errorf(fallback.Find(jsonschema.Tokens(m.Path)), diagnostic.CodeSchema, "the default does not fit the input's own schema: %s", m.Message)
		}
	}
	return in
}
