package expression

import (
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Sees adds to seen the values in env that the expression refers to, without functions.
// Of the steps it adds those that the expression names, with the fields that it uses.
func (e *Expression) Sees(env Env, seen map[string]any) error {
	for _, name := range e.names {
		value, there := env[name]
		isFunction := value != nil && reflect.TypeOf(value).Kind() == reflect.Func
		if there && !isFunction && !slices.ContainsFunc(e.Steps, func(r StepReference) bool { return r.Of == name }) {
			seen[name] = value
		}
	}
	if err := e.readSteps(env, seen); err != nil {
		return e.Failure(e.Position(0), err)
	}
	return nil
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
