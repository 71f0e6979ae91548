package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// givenInputs are what a workflow is given: the inputs of a file, and over them those
// of the command line.
type givenInputs struct {
	file  string
	pairs []string
}

// register adds -i and --inputs.
func (g *givenInputs) register(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&g.pairs, "input", "i", nil, "an input, `name=value`; JSON where it is not a string (repeatable)")
	flags.StringVar(&g.file, "inputs", "", "a `file` of inputs, JSON or YAML; - is standard input")
}

func (g givenInputs) none() bool { return g.file == "" && len(g.pairs) == 0 }

// inputs are the values of the inputs.
func (p *program) inputs(w *host.Loaded, from givenInputs) (map[string]any, error) {
	values, problems, err := p.checkedInputs(w, from)
	return values, cmp.Or(err, wrongInputs(w, problems))
}

// someInputs are inputs as [program.inputs] has them, but that required ones may be
// missing: then the values are not to be used.
func (p *program) someInputs(w *host.Loaded, from givenInputs) (values map[string]any, missing bool, err error) {
	values, problems, err := p.checkedInputs(w, from)
	given := slices.DeleteFunc(slices.Clone(problems), isMissing)
	return values, len(problems) > len(given), cmp.Or(err, wrongInputs(w, given))
}

func isMissing(problem error) bool {
	var wrong *workflows.InputError
	return errors.As(problem, &wrong) && wrong.Missing
}

// checkedInputs are the values of the inputs, and what is wrong with those that are
// given. The error is for a file that can't be read.
func (p *program) checkedInputs(w *host.Loaded, from givenInputs) (values map[string]any, problems []error, err error) {
	given := map[string]any{}
	if from.file != "" {
		if given, err = p.readInputs(from.file); err != nil {
			return nil, nil, err
		}
	}
	named := map[string]bool{}
	for _, pair := range from.pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			problems = append(problems, fmt.Errorf("-i %q: name=value was expected", pair))
			name, _, _ = strings.Cut(pair, ":")
			named[name] = true
			continue
		}
		value, err := w.ParseInput(name, text)
		switch {
		case err != nil:
			problems = append(problems, err)
		case named[name]:
			problems = append(problems, fmt.Errorf("input %q: -i gives it twice", name))
			fallthrough
		default:
			given[name] = value
		}
		named[name] = true
	}
	values, wrong := w.CheckInputs(given)
	if joined, ok := wrong.(interface{ Unwrap() []error }); ok {
		problems = append(problems, slices.DeleteFunc(joined.Unwrap(), func(problem error) bool {
			return isMissing(problem) && named[problem.(*workflows.InputError).Name] // it is given, and can't be read
		})...)
	}
	return values, problems, nil
}

// readInputs reads a map from a file of JSON or YAML; "-" is standard input.
func (p *program) readInputs(file string) (map[string]any, error) {
	data, err := p.readFileOrStdin(file)
	if err != nil {
		return nil, steps.Invalid("", "--inputs %s: %v", file, err)
	}
	value, found := workflows.DecodeData(file, data)
	if found.HasErrors() {
		return nil, steps.Invalid("", "--inputs: %v", found)
	}
	switch value := value.(type) {
	case map[string]any:
		return value, nil
	case nil:
		return map[string]any{}, nil
	}
	return nil, steps.Invalid("", "--inputs %s: a map of inputs was expected", file)
}

// readFileOrStdin is the one place where standard input is read.
func (p *program) readFileOrStdin(file string) ([]byte, error) {
	if file != "-" {
		return host.ReadSource(file)
	}
	return host.ReadBounded(p.stdin)
}

// wrongInputs is the error for wrong inputs; nil where there are none. It lists the
// inputs that the workflow takes, where that helps: not where only values are wrong.
func wrongInputs(w *host.Loaded, problems []error) error {
	if len(problems) == 0 {
		return nil
	}
	hint, all := "", errors.Join(problems...)
	if !slices.ContainsFunc(problems, aboutNames) {
		return steps.Invalid("", "%v", all)
	}
	if len(w.Inputs) == 0 {
		return steps.Invalid("the workflow takes no inputs", "%v", all)
	}
	for _, in := range w.Inputs {
		hint += ", " + in.Name
		if in.Required {
			hint += " (required)"
		}
	}
	return steps.Invalid("its inputs are "+hint[2:]+"; give one with -i name=value", "%v", all)
}

// aboutNames reports whether more is wrong than a value.
func aboutNames(problem error) bool {
	var wrong *workflows.InputError
	return errors.As(problem, &wrong) && (wrong.Missing || wrong.Unknown) || strings.HasPrefix(problem.Error(), "-i ")
}
