package expression

import (
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"
)

// A callsVisitor sets the type of calls(), the function of stop.when: Go has no type for
// a map with these fields.
type callsVisitor struct{}

// Visit sets the type of one call. A call with wrong arguments has no type yet, and is
// reported by the checker.
func (callsVisitor) Visit(n *ast.Node) {
	if call, isCall := (*n).(*ast.CallNode); isCall && isIdentifier(call.Callee, "calls") && !IsUnknown(call.Nature()) {
		call.SetNature(types.Array(types.Map{
			"name": types.String, "status": types.String, "turn": types.Int, "arguments": types.TypeOf(map[string]any{}),
		}).Nature())
	}
}

// A callArgument is an argument of a call in an expression.
type callArgument struct {
	Offset int    // in the text of the scalar, in bytes
	Index  int    // among the arguments
	Name   string // the value of a string literal
	IsText bool   // it is a string literal
}

// ArgumentsOf returns the arguments of all calls of a function.
func (e *Expression) ArgumentsOf(function string) []callArgument {
	var all []callArgument
	if e.tree == nil {
		return nil
	}
	walk(e.tree.Node, func(n ast.Node) {
		call, isCall := n.(*ast.CallNode)
		if !isCall || !isIdentifier(call.Callee, function) {
			return
		}
		for i, argument := range call.Arguments {
			a := callArgument{Offset: e.Offset + byteOffset(e.Source, argument.Location().From), Index: i}
			if text, isText := argument.(*ast.StringNode); isText {
				a.Name, a.IsText = text.Value, true
			}
			all = append(all, a)
		}
	})
	return all
}
