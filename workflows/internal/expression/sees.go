package expression

import (
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Sees adds to seen the values of the names in env that the expression refers to.
// Functions are left out. Of the steps it adds those that the expression names,
// with what it asks of them.
func (e *Expression) Sees(env Env, seen map[string]any) error {
	env, err := e.readSteps(env)
	if err != nil {
		return e.Failure(e.Place(0), err)
	}
	for _, name := range e.names {
		value, there := env[name]
		switch {
		case !there || value != nil && reflect.TypeOf(value).Kind() == reflect.Func:
		case name == "steps":
			seen[name] = e.addSteps(seen[name], value)
		default:
			seen[name] = value
		}
	}
	return nil
}

// addSteps adds the named steps to those that are there.
func (e *Expression) addSteps(there, value any) any {
	all, isMap := value.(map[string]any)
	if !isMap {
		return value
	}
	steps, _ := there.(map[string]any)
	if steps == nil {
		steps = map[string]any{}
	}
	for _, r := range e.Steps {
		steps[r.ID] = mergeFields(steps[r.ID], all[r.ID])
	}
	return steps
}

// namesIn lists the names in an expression, each once.
func namesIn(root ast.Node) []string {
	var names []string
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		if name, is := n.(*ast.IdentifierNode); is {
			names = append(names, name.Value)
		}
	}))
	slices.Sort(names)
	return slices.Compact(names)
}
