package workflows

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
	if call, isCall := (*n).(*ast.CallNode); isCall && isIdentifier(call.Callee, "calls") && !isUnknown(call.Nature()) {
		call.SetNature(callsType().Nature())
	}
}

// checkCalls reports calls("name") of a tool that the step does not offer: there
// never is such a call.
func (p *parser) checkCalls(c *Condition, offers []string) {
	if c == nil || c.expr.tree == nil {
		return
	}
	e := c.expr
	root := e.tree.Node
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		call, isCall := n.(*ast.CallNode)
		if !isCall || !isIdentifier(call.Callee, "calls") {
			return
		}
		for i, argument := range call.Arguments {
			offset := e.offset + byteOffset(e.source, argument.Location().From)
			name, isText := argument.(*ast.StringNode)
			switch {
			case i > 0:
				p.errorWithin(e.node, offset, 1, codeExpression, "calls takes one name").Hint = `calls("a") and calls("b") are added by concat`
			case isText && !offered(offers, name.Value):
				p.errorWithin(e.node, offset, len(name.Value)+2, codeTool, "the step does not offer its model the tool %q", name.Value).Hint = didYouMean(name.Value, offers)
			}
		}
	}))
}
