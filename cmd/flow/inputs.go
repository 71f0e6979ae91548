package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// inputs are what a workflow is given: those of a file, and over them those of
// the command line.
func (p *program) inputs(w *host.Loaded, file string, pairs []string) (map[string]any, error) {
	values, problems, err := p.checkedInputs(w, file, pairs)
	if err != nil || len(problems) == 0 {
		return values, err
	}
	return nil, usage(inputHint(w, problems), "%v", errors.Join(problems...))
}

// someInputs are inputs as [program.inputs] has them, but that required ones may be
// missing: then the values are not to be used.
func (p *program) someInputs(w *host.Loaded, file string, pairs []string) (values map[string]any, missing bool, err error) {
	values, problems, err := p.checkedInputs(w, file, pairs)
	given := slices.DeleteFunc(slices.Clone(problems), func(problem error) bool {
		return slices.ContainsFunc(w.Inputs, func(in workflows.Input) bool { return aboutMissing(problem, in.Name) })
	})
	if err == nil && len(given) > 0 {
		err = usage(inputHint(w, given), "%v", errors.Join(given...))
	}
	return values, len(problems) > len(given), err
}

// checkedInputs are the values of the inputs, and what is wrong with those that are
// given. The error is for a file that can't be read.
func (p *program) checkedInputs(w *host.Loaded, file string, pairs []string) (values map[string]any, problems []error, err error) {
	given := map[string]any{}
	if file != "" {
		read, err := p.readInputs(file)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(given, read)
	}
	problems, unread := readPairs(w, pairs, given)
	values, wrong := w.CheckInputs(given)
	for _, problem := range each(wrong) {
		if !slices.ContainsFunc(unread, func(name string) bool { return aboutMissing(problem, name) }) {
			problems = append(problems, problem)
		}
	}
	return values, problems, nil
}

// readPairs adds the inputs of the command line to those given. What can't be
// read is a problem, and its name, where it has one, among the unread.
func readPairs(w *host.Loaded, pairs []string, given map[string]any) (problems []error, unread []string) {
	twice := map[string]bool{}
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			problems = append(problems, fmt.Errorf("-i %q: name=value was expected", pair))
			continue
		}
		value, err := w.ParseInput(name, text)
		if err != nil {
			problems, unread = append(problems, err), append(unread, name)
			continue
		}
		if twice[name] {
			problems = append(problems, fmt.Errorf("input %q: -i gives it twice", name))
		}
		given[name], twice[name] = value, true
	}
	return problems, unread
}

// each returns the errors that were joined to one.
func each(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// aboutMissing reports whether the problem is that an input is not given.
func aboutMissing(problem error, name string) bool {
	return strings.HasPrefix(problem.Error(), fmt.Sprintf("input %q is missing", name))
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
		return host.ReadSource(file)
	}
	return host.ReadBounded(p.stdin)
}

// inputHint lists the inputs that a workflow takes, where that helps: not where
// only values are wrong.
func inputHint(w *host.Loaded, problems []error) string {
	onlyValues := !slices.ContainsFunc(problems, func(problem error) bool {
		text := problem.Error()
		return !strings.HasPrefix(text, "input ") || strings.Contains(text, " is missing")
	})
	if onlyValues {
		return ""
	}
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
