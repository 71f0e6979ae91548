package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// Variables are the environment variables that a file, or a step of it, names or sets.
// The zero value has none.
type Variables struct {
	// Names are taken from flow's own environment. One that ends with * stands for all
	// that begin like it.
	Names []string

	// Given are set by the file, in its order. Each overrides a variable of the same name
	// in flow's environment.
	Given []GivenVariable
}

// A GivenVariable has a value of the file's own. Its expressions see the variables of
// Names, but none that is given beside it.
type GivenVariable struct {
	Name   string
	Value  *Template
	Secret bool // its value is masked wherever flow writes
	Pos    Position

	words Words // who has a say in its value
}

// maxVariable bounds, in bytes, the value of a variable: the kernel passes no longer ones.
const maxVariable = 100 << 10

// Eval returns the value as text; set is false where its expression is null, which leaves
// the variable unset.
func (g GivenVariable) Eval(env Env) (text string, set bool, err error) {
	value, err := g.Value.Eval(env)
	if err != nil || value == nil {
		return "", false, err
	}
	text, err = tree.TextOf(value)
	switch {
	case err != nil:
		return "", false, err
	case len(text) > maxVariable:
		return "", false, fmt.Errorf("its value has %s bytes, and a variable takes %s", quantity.Thousands(len(text)), quantity.Thousands(maxVariable))
	case strings.ContainsRune(text, 0):
		return "", false, fmt.Errorf("its value has a NUL byte, which no variable can have")
	}
	return text, true, nil
}

// ByInputs reports whether the run's inputs decide, through this variable, what programs
// do: then a model must not have given them.
func (g GivenVariable) ByInputs() bool { return g.words == GivenWords && known.DecidesWhatRuns(g.Name) }

// None reports whether there are no variables.
func (v Variables) None() bool { return len(v.Names) == 0 && len(v.Given) == 0 }

// Has reports whether a variable is named, by a pattern too, or given.
func (v Variables) Has(name string) bool {
	return Covers(v.Names, name) || slices.ContainsFunc(v.Given, func(g GivenVariable) bool { return g.Name == name })
}

// ExpandVariables replaces patterns by the variables that they cover, sorted. all lists
// the variables that are set; it is called only where there is a pattern, and may be nil.
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
		if Covers(names, variable) && !slices.Contains(expanded, variable) {
			expanded = append(expanded, variable)
		}
	}
	return expanded
}

func isVariablePattern(name string) bool { return strings.HasSuffix(name, "*") }
