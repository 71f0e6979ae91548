package expression

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/file"
)

// A guardVisitor replaces operators that could use too much memory or time by functions
// of a [meter], and makes predicates count their rounds.
type guardVisitor struct {
	err *file.Error
}

// Visit replaces one node, after its children.
func (g *guardVisitor) Visit(n *ast.Node) {
	switch node := (*n).(type) {
	case *ast.IdentifierNode:
		if node.Value == "$env" && g.err == nil {
			g.err = &file.Error{Location: node.Location(), Message: "unknown name $env"}
		}
	case *ast.PredicateNode:
		node.Node = ticking(node.Node)
	case *ast.BinaryNode:
		if name := checkedOperator(node); name != "" {
			patchCall(n, name, node)
		}
	}
}

// ticking returns a predicate that counts a round before it is evaluated.
func ticking(body ast.Node) ast.Node {
	tick := &ast.CallNode{Callee: &ast.IdentifierNode{Value: functionTick}}
	sequence := &ast.SequenceNode{Nodes: []ast.Node{tick, body}}
	for _, made := range []ast.Node{tick, tick.Callee, sequence} {
		made.SetLocation(body.Location())
	}
	return sequence
}

// checkedOperator returns the function that must replace an operator, or "".
func checkedOperator(node *ast.BinaryNode) string {
	left, right := node.Left.Nature(), node.Right.Nature()
	switch node.Operator {
	case "+":
		switch {
		case isText(left) && isText(right):
			return functionAddStrings
		case IsUnknown(left) && (IsUnknown(right) || isText(right)), isText(left) && IsUnknown(right):
			return functionAdd
		}
	case "==", "!=":
		if isCompound(left) && isCompound(right) {
			return functionEqual
		}
	case "/":
		if mayBeNumber(left) && mayBeNumber(right) && !isLiteral(node.Right) {
			return functionDivide
		}
	case "in":
		if isCompound(left) && isCompound(right) {
			return functionIn
		}
	}
	return ""
}

// patchCall replaces an operator by a call, at the operator's position in the source.
func patchCall(n *ast.Node, name string, node *ast.BinaryNode) {
	callee := &ast.IdentifierNode{Value: name}
	callee.SetLocation(node.Location())
	var call ast.Node = &ast.CallNode{Callee: callee, Arguments: []ast.Node{node.Left, node.Right}}
	if node.Operator == "!=" {
		call.SetLocation(node.Location())
		call = &ast.UnaryNode{Operator: "!", Node: call}
	}
	ast.Patch(n, call)
}

// IsUnknown reports whether a value may be of any type.
func IsUnknown(n *nature.Nature) bool { return n.Type == nil && !n.Nil }

// mayBeNumber reports whether a value is a number, or of any type.
func mayBeNumber(n *nature.Nature) bool {
	return n.Kind == reflect.Int || n.Kind == reflect.Float64 || IsUnknown(n)
}

// isLiteral reports whether a node is a literal number other than 0.
func isLiteral(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return n.Value != 0
	case *ast.FloatNode:
		return n.Value != 0
	}
	return false
}

// isText reports whether a value is a string for certain.
func isText(n *nature.Nature) bool { return n.Kind == reflect.String }

// isCompound reports whether a value may be a list or a map.
func isCompound(n *nature.Nature) bool {
	switch n.Kind {
	case reflect.Map, reflect.Slice, reflect.Array:
		return true
	}
	return IsUnknown(n)
}
