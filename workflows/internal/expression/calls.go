package expression

import (
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"
)

// callsType is what calls() gives in stop.when.
func callsType() types.Type {
	return types.Array(types.Map{
		"name": types.String, "status": types.String, "turn": types.Int, "arguments": types.TypeOf(map[string]any{}),
	})
}

// A callsVisitor gives the calls of calls() their type. A function's type can't
// tell it: Go has no type for a map with these fields.
type callsVisitor struct{}

// Visit looks at one node. A call whose arguments are wrong has no type yet, and
// is left to be reported.
func (callsVisitor) Visit(n *ast.Node) {
	if call, isCall := (*n).(*ast.CallNode); isCall && isIdentifier(call.Callee, "calls") && !IsUnknown(call.Nature()) {
		call.SetNature(callsType().Nature())
	}
}

// A callArgument is an argument of a call in an expression.
type callArgument struct {
	Offset int    // in the text of the scalar, in bytes
	Place  int    // among the arguments
	Name   string // of a string that is written out
	IsText bool
}

// ArgumentsOf gives the arguments of every call of a function.
func (e *Expression) ArgumentsOf(function string) []callArgument {
	var all []callArgument
	if e.tree == nil {
		return nil
	}
	root := e.tree.Node
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		call, isCall := n.(*ast.CallNode)
		if !isCall || !isIdentifier(call.Callee, function) {
			return
		}
		for i, argument := range call.Arguments {
			a := callArgument{Offset: e.Offset + byteOffset(e.Source, argument.Location().From), Place: i}
			if text, isText := argument.(*ast.StringNode); isText {
				a.Name, a.IsText = text.Value, true
			}
			all = append(all, a)
		}
	}))
	return all
}
