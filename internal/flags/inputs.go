package flags

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// Inputs are the inputs that a command line gives a workflow: those of a file and, over them,
// those of -i.
type Inputs struct {
	File  string // "-" is standard input
	pairs []string
}

// Register adds -i and --inputs.
func (g *Inputs) Register(set *pflag.FlagSet) {
	set.StringArrayVarP(&g.pairs, "input", "i", nil, "an input, `name=value`; JSON where it is not a string (repeatable)")
	set.Var(Text(&g.File), "inputs", "a `file` of inputs, JSON or YAML; - is standard input")
}

// None reports whether nothing is given.
func (g *Inputs) None() bool { return g.File == "" && len(g.pairs) == 0 }

// Values returns the values of a workflow's inputs. The error names everything that is wrong.
func (g *Inputs) Values(w *workflows.Workflow, stdin io.Reader) (map[string]any, error) {
	return g.values(w, stdin, false)
}

// Known is [Inputs.Values] for a workflow that does not run: required inputs may be missing.
func (g *Inputs) Known(w *workflows.Workflow, stdin io.Reader) (map[string]any, error) {
	return g.values(w, stdin, true)
}

func (g *Inputs) values(w *workflows.Workflow, stdin io.Reader, mayMiss bool) (map[string]any, error) {
	given, err := g.fromFile(stdin)
	if err != nil {
		return nil, err
	}
	var problems []error
	invalid := map[string]bool{} // inputs that are given, and can't be read
	for _, pair := range g.pairs {
		name, text, found := strings.Cut(pair, "=")
		value, err := any(nil), fmt.Errorf("-i %q: expected name=value", pair)
		if found {
			value, err = w.ParseInput(name, text)
		}
		if err != nil {
			problems, invalid[name] = append(problems, err), true
			continue
		}
		given[name] = value
	}
	values, wrong := w.CheckInputs(given)
	if all, is := wrong.(interface{ Unwrap() []error }); is {
		for _, problem := range all.Unwrap() {
			var one *workflows.InputError
			if !errors.As(problem, &one) || !one.Missing || !mayMiss && !invalid[one.Name] {
				problems = append(problems, problem)
			}
		}
	}
	if len(problems) > 0 {
		return nil, steps.Invalid(inputsOf(w), "%w", errors.Join(problems...))
	}
	return values, nil
}

// fromFile reads the inputs of the file, a map as JSON or YAML. Nothing else reads standard input.
func (g *Inputs) fromFile(stdin io.Reader) (map[string]any, error) {
	if g.File == "" {
		return map[string]any{}, nil
	}
	var data []byte
	var err error
	if g.File == "-" {
		data, err = host.ReadBounded(stdin)
	} else {
		data, err = host.ReadSource(g.File)
	}
	if err != nil {
		return nil, steps.Invalid(cmp.Or(host.NearFileHint(g.File), "one input is set with -i name=value"), "--inputs %s: %v", g.File, err)
	}
	value, found := workflows.DecodeData(g.File, data)
	if found.HasErrors() {
		return nil, steps.Invalid("", "--inputs: %v", found)
	}
	switch value := value.(type) {
	case map[string]any:
		return value, nil
	case nil:
		return map[string]any{}, nil
	}
	return nil, steps.Invalid("", "--inputs %s: expected a map of inputs", g.File)
}

// inputsOf is the hint that lists the inputs of a workflow.
func inputsOf(w *workflows.Workflow) string {
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
	return "the inputs are " + strings.Join(names, ", ") + "; set one with -i name=value"
}
