package expression

import (
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/file"
)

// A guardVisitor has a [meter] count what could use too much memory or time: the rounds of predicates,
// texts that are made, and comparisons of lists and maps.
type guardVisitor struct {
	err *file.Error
}

// textMakers are the functions of expr that return new texts. Its budget does not count these.
var textMakers = []string{"join", "lower", "split", "splitAfter", "toBase64", "upper"}

// Visit replaces one node, after its children.
func (g *guardVisitor) Visit(n *ast.Node) {
	switch node := (*n).(type) {
	case *ast.IdentifierNode:
		if node.Value == "$env" && g.err == nil {
			g.err = &file.Error{Location: node.Location(), Message: "unknown name $env"}
		}
	case *ast.PredicateNode:
		node.Node = ticking(node.Node)
	case *ast.BuiltinNode:
		if slices.Contains(textMakers, node.Name) {
			*n = callOf(functionMade, node, node)
		}
	case *ast.CallNode:
		if name, isName := node.Callee.(*ast.IdentifierNode); isName && slices.Contains(textMakers, name.Value) {
			*n = callOf(functionMade, node, node)
		}
	case *ast.BinaryNode:
		g.operator(n, node)
	}
}

// operator replaces an operator that could cost too much.
func (g *guardVisitor) operator(n *ast.Node, node *ast.BinaryNode) {
	left, right := node.Left.Nature(), node.Right.Nature()
	compound := isCompound(left) && isCompound(right)
	switch {
	case node.Operator == "+" && mayBeText(left) && mayBeText(right):
		*n = callOf(functionMade, node, node)
	case node.Operator == "==" && compound:
		*n = callOf(functionEqual, node, node.Left, node.Right)
	case node.Operator == "!=" && compound:
		*n = &ast.UnaryNode{Operator: "!", Node: callOf(functionEqual, node, node.Left, node.Right)}
		(*n).SetLocation(node.Location())
	case node.Operator == "in" && compound:
		*n = callOf(functionIn, node, node.Left, node.Right)
	}
}

// callOf returns a call of one of the meter's functions in place of a node, and of its type.
func callOf(function string, of ast.Node, arguments ...ast.Node) ast.Node {
	callee := &ast.IdentifierNode{Value: function}
	call := &ast.CallNode{Callee: callee, Arguments: arguments}
	callee.SetLocation(of.Location())
	call.SetLocation(of.Location())
	call.SetNature(*of.Nature())
	return call
}

// ticking returns a predicate that counts a round before it is evaluated.
func ticking(body ast.Node) ast.Node {
	sequence := &ast.SequenceNode{Nodes: []ast.Node{callOf(functionTick, body), body}}
	sequence.SetLocation(body.Location())
	return sequence
}

// IsUnknown reports whether a value may be of any type.
func IsUnknown(n *nature.Nature) bool { return n.Type == nil && !n.Nil }

func mayBeText(n *nature.Nature) bool { return n.Kind == reflect.String || IsUnknown(n) }

// isCompound reports whether a value may be a list or a map.
func isCompound(n *nature.Nature) bool {
	return IsUnknown(n) || slices.Contains([]reflect.Kind{reflect.Map, reflect.Slice, reflect.Array}, n.Kind)
}
