package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// Variables are the variables of the environment that a file, or a step of it,
// names or gives values. The zero value has none.
type Variables struct {
	// Names are the names of variables that flow is started with. One that ends with *
	// stands for all that begin like it.
	Names []string

	// Given are the file's own, in its order. Each goes before a variable of the same
	// name that flow is started with.
	Given []GivenVariable
}

// A GivenVariable has a value of the file's own. Expressions in it see the variables
// of Names, and none that is given beside it.
type GivenVariable struct {
	Name   string
	Value  *Template
	Secret bool // what it comes to is masked wherever flow writes
	Pos    Position

	words Words // whose it is made of
}

// MostInVariable bounds, in bytes, the value of a variable: the kernel hands over no
// longer ones.
const MostInVariable = 100 << 10

// Eval gives the value as text; set is false where the expression that it is made of
// has none, which leaves the variable as it is.
func (g GivenVariable) Eval(env Env) (text string, set bool, err error) {
	value, err := g.Value.Eval(env)
	if err != nil || value == nil {
		return "", false, err
	}
	text, err = tree.TextOf(value)
	switch {
	case err != nil:
		return "", false, err
	case len(text) > MostInVariable:
		return "", false, fmt.Errorf("its value has %s bytes, and a variable takes %s", quantity.Thousands(len(text)), quantity.Thousands(MostInVariable))
	case strings.ContainsRune(text, 0):
		return "", false, fmt.Errorf("its value has a NUL byte, which no variable can have")
	}
	return text, true, nil
}

// ByInputs reports whether the inputs of the run have a say in what programs do, by the
// value of the variable: they must not be a model's then.
func (g GivenVariable) ByInputs() bool { return g.words == GivenWords && rulesPrograms(g.Name) }

// None reports whether there are no variables.
func (v Variables) None() bool { return len(v.Names) == 0 && len(v.Given) == 0 }

// Has reports whether a variable is named, by a pattern too, or given.
func (v Variables) Has(name string) bool {
	return NamesVariable(v.Names, name) || slices.ContainsFunc(v.Given, func(g GivenVariable) bool { return g.Name == name })
}

// NamesVariable reports whether one of the names, which may be patterns, is that of
// a variable.
func NamesVariable(names []string, variable string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		prefix, isPattern := strings.CutSuffix(name, "*")
		return name == variable || isPattern && strings.HasPrefix(variable, prefix)
	})
}

// ExpandVariables replaces patterns by the variables that they stand for, of those
// that there are, sorted. all is asked only where there is a pattern; it may be nil.
func ExpandVariables(names []string, all func() []string) []string {
	if all == nil || !slices.ContainsFunc(names, isVariablePattern) {
		return slices.DeleteFunc(slices.Clone(names), isVariablePattern)
	}
	var expanded []string
	for _, name := range names {
		if !isVariablePattern(name) {
			expanded = append(expanded, name)
		}
	}
	for _, variable := range slices.Sorted(slices.Values(all())) {
		if NamesVariable(names, variable) && !slices.Contains(expanded, variable) {
			expanded = append(expanded, variable)
		}
	}
	return expanded
}

func isVariablePattern(name string) bool { return strings.HasSuffix(name, "*") }
