package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// inputs are what a workflow is given: those of a file, and over them those of
// the command line.
func (p *program) inputs(w *workflows.Workflow, file string, pairs []string) (map[string]any, error) {
	given := map[string]any{}
	if file != "" {
		read, err := p.readInputs(file)
		if err != nil {
			return nil, err
		}
		maps.Copy(given, read)
	}
	var problems []error
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			problems = append(problems, fmt.Errorf("-i %q: name=value was expected", pair))
			continue
		}
		value, err := w.ParseInput(name, text)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		given[name] = value
	}
	if err := errors.Join(problems...); err != nil {
		return nil, usage(inputHint(w), "%v", err)
	}
	values, err := w.CheckInputs(given)
	if err != nil {
		return nil, usage(inputHint(w), "%v", err)
	}
	return values, nil
}

// readInputs reads a map from a file of JSON or YAML; "-" is standard input.
func (p *program) readInputs(file string) (map[string]any, error) {
	data, err := p.readFileOrStdin(file)
	if err != nil {
		return nil, usage("", "--inputs %s: %v", file, err)
	}
	value, found := workflows.DecodeData(file, data)
	if found.HasErrors() {
		return nil, usage("", "--inputs: %v", found)
	}
	switch value := value.(type) {
	case map[string]any:
		return value, nil
	case nil:
		return nil, nil
	}
	return nil, usage("", "--inputs %s: a map of inputs was expected", file)
}

// readFileOrStdin is the one place where standard input is read.
func (p *program) readFileOrStdin(file string) ([]byte, error) {
	if file != "-" {
		return readSource(file)
	}
	data, err := io.ReadAll(io.LimitReader(p.stdin, mostSourceBytes+1))
	if err == nil && len(data) > mostSourceBytes {
		err = fmt.Errorf("it is larger than %d MiB", mostSourceBytes>>20)
	}
	return data, err
}

// inputHint lists the inputs that a workflow takes.
func inputHint(w *workflows.Workflow) string {
	if len(w.Inputs) == 0 {
		return "the workflow takes no inputs"
	}
	var names []string
	for _, in := range w.Inputs {
		name := in.Name
		if in.Required {
			name += " (required)"
		}
		names = append(names, name)
	}
	return "its inputs are " + strings.Join(names, ", ") + "; give one with -i name=value"
}
