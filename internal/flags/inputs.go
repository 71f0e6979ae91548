package flags

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
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
	values, problems, err := g.check(w, stdin)
	return values, cmp.Or(err, wrongInputs(w, problems))
}

// Known is [Inputs.Values] for a workflow that does not run: required inputs may be missing.
func (g *Inputs) Known(w *workflows.Workflow, stdin io.Reader) (map[string]any, error) {
	values, problems, err := g.check(w, stdin)
	return values, cmp.Or(err, wrongInputs(w, slices.DeleteFunc(problems, isMissing)))
}

func isMissing(problem error) bool {
	var wrong *workflows.InputError
	return errors.As(problem, &wrong) && wrong.Missing
}

// check returns the values, and what is wrong with the inputs. The error is for a file that
// can't be read.
func (g *Inputs) check(w *workflows.Workflow, stdin io.Reader) (values map[string]any, problems []error, err error) {
	given := map[string]any{}
	if g.File != "" {
		if given, err = readInputs(g.File, stdin); err != nil {
			return nil, nil, err
		}
	}
	named := map[string]bool{}
	for _, pair := range g.pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			problems = append(problems, fmt.Errorf("-i %q: expected name=value%s", pair, pairHint(pair)))
			name, _, _ = strings.Cut(pair, ":")
			named[name] = true
			continue
		}
		value, err := w.ParseInput(name, text)
		switch {
		case err != nil:
			problems = append(problems, err)
		case named[name]:
			problems = append(problems, fmt.Errorf("input %q: it is given twice with -i", name))
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

// pairHint shows how an input is given that lacks its =; "" if that is not clear.
func pairHint(pair string) string {
	name, value, found := strings.Cut(pair, ":")
	if !found || name == "" {
		return ""
	}
	return fmt.Sprintf(" (write -i %s=%s)", name, strings.TrimSpace(value))
}

// fileHint says how inputs are given that are named where a file of them is expected.
func fileHint(text string) string {
	name, _, isPair := strings.Cut(text, "=")
	switch {
	case strings.HasPrefix(strings.TrimSpace(text), "{"):
		return "--inputs takes a file, or - for standard input: echo '{…}' | flow run FILE --inputs -; to give one input: -i name=value"
	case isPair && !strings.ContainsAny(name, "/."):
		return "write -i " + text
	}
	return host.NearFileHint(text)
}

// readInputs reads a map from a file of JSON or YAML. Nothing else reads standard input.
func readInputs(file string, stdin io.Reader) (map[string]any, error) {
	read := func() ([]byte, error) { return host.ReadSource(file) }
	if file == "-" {
		read = func() ([]byte, error) { return host.ReadBounded(stdin) }
	}
	data, err := read()
	if err != nil {
		return nil, steps.Invalid(fileHint(file), "--inputs %s: %v", file, err)
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
	return nil, steps.Invalid("", "--inputs %s: expected a map of inputs", file)
}

// wrongInputs is the error for wrong inputs; nil if there are none. It lists the inputs of the
// workflow if a name is wrong, which a list can help with.
func wrongInputs(w *workflows.Workflow, problems []error) error {
	if len(problems) == 0 {
		return nil
	}
	all := errors.Join(problems...)
	switch {
	case !slices.ContainsFunc(problems, aboutNames):
		return steps.Invalid("", "%w", all)
	case len(w.Inputs) == 0:
		return steps.Invalid("the workflow takes no inputs", "%w", all)
	}
	var names []string
	for _, in := range w.Inputs {
		name := in.Name
		if in.Required {
			name += " (required)"
		}
		names = append(names, name)
	}
	return steps.Invalid("the inputs are "+strings.Join(names, ", ")+"; set one with -i name=value", "%w", all)
}

// aboutNames reports whether more is wrong than a value.
func aboutNames(problem error) bool {
	var wrong *workflows.InputError
	return errors.As(problem, &wrong) && (wrong.Missing || wrong.Unknown) || strings.HasPrefix(problem.Error(), "-i ")
}
