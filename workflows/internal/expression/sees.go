package expression

import (
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Sees adds to seen the values in env that the expression refers to, without functions.
// Of the steps it adds those that the expression names, with the fields that it uses.
func (e *Expression) Sees(env Env, seen map[string]any) error {
	env, err := e.readSteps(env)
	if err != nil {
		return e.Failure(e.Position(0), err)
	}
	for _, name := range e.names {
		value, there := env[name]
		switch {
		case !there || value != nil && reflect.TypeOf(value).Kind() == reflect.Func:
		case slices.Contains(stepNames, name):
			seen[name] = e.addSteps(name, seen[name], value)
		default:
			seen[name] = value
		}
	}
	return nil
}

// addSteps adds the steps that the expression names to those that are there.
func (e *Expression) addSteps(name string, there, value any) any {
	all, isMap := value.(map[string]any)
	if !isMap {
		return value
	}
	steps, _ := there.(map[string]any)
	if steps == nil {
		steps = map[string]any{}
	}
	for _, r := range e.Steps {
		if r.Of != name {
			continue
		}
		steps[r.ID] = mergeFields(steps[r.ID], all[r.ID])
	}
	return steps
}

// namesIn lists the names in an expression, each once.
func namesIn(root ast.Node) []string {
	var names []string
	walk(root, func(n ast.Node) {
		if name, isName := n.(*ast.IdentifierNode); isName {
			names = append(names, name.Value)
		}
	})
	slices.Sort(names)
	return slices.Compact(names)
}
