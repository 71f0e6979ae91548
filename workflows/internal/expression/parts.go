package expression

import (
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// A Part is a part of an expression, with its value.
type Part struct {
	Source string
	Value  any
}

// Line is the part with its value on one line of bounded length. mask, unless it is nil, hides secrets
// in the JSON of the value before it is cut.
func (p Part) Line(mask func(json []byte) []byte) string {
	const longest = 300
	text, err := jsonline.Encode(p.Value)
	if err != nil {
		text = []byte(NameOf(p.Value))
	}
	if mask != nil {
		text = mask(text)
	}
	return p.Source + " is " + tree.Clip(string(text), longest)
}

// maxParts bounds what [Expression.Parts] returns.
const maxParts = 12

// Parts returns the parts of a condition that decide it, with their values: what is
// compared, counted or called. Of `and` it returns only the parts that make it false. A
// part without a value is left out.
func (e *Expression) Parts(env Env) []Part {
	read, err := parseExpression(e.scope.grammar, e.Source)
	if err != nil {
		return nil
	}
	x := &explainer{env: env, at: e}
	x.condition(read.Node)
	return x.parts
}

// An explainer collects the parts of one expression.
type explainer struct {
	env   Env
	at    *Expression
	parts []Part
}

// condition shows the parts of what is true or false.
func (x *explainer) condition(n ast.Node) {
	switch n := n.(type) {
	case *ast.UnaryNode:
		x.condition(n.Node)
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "&&":
			for _, side := range []ast.Node{n.Left, n.Right} {
				if holds, known := x.eval(side); !known || holds != true {
					x.condition(side)
					return // as in the evaluation, which skips the rest
				}
			}
		case "or", "||":
			x.condition(n.Left)
			x.condition(n.Right)
		default:
			x.show(n.Left)
			x.show(n.Right)
		}
	default:
		x.show(n)
	}
}

// show adds a part; of a call with a predicate the list.
func (x *explainer) show(n ast.Node) {
	switch n := n.(type) {
	case *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode, *ast.ArrayNode, *ast.MapNode, *ast.ConstantNode:
		return
	case *ast.BuiltinNode:
		if len(n.Arguments) > 0 && n.Name != "len" && slices.ContainsFunc(n.Arguments, is[*ast.PredicateNode]) {
			defer x.show(n.Arguments[0])
			if slices.Contains([]string{"all", "any", "none", "one"}, n.Name) {
				return // true or false says nothing more than that it failed
			}
		}
	}
	value, known := x.eval(n)
	source := n.String()
	if !known || len(x.parts) == maxParts || slices.ContainsFunc(x.parts, func(p Part) bool { return p.Source == source }) {
		return
	}
	x.parts = append(x.parts, Part{source, value})
}

// eval evaluates a part by itself; false where it has no value.
func (x *explainer) eval(n ast.Node) (any, bool) {
	read, err := parseExpression(x.at.scope.grammar, n.String())
	if err != nil {
		return nil, false
	}
	piece := &Expression{Source: n.String(), Node: x.at.Node, tree: read, Result: nature.Nature{}}
	if err := piece.compile(x.at.scope, reflect.Invalid); err != nil {
		return nil, false
	}
	value, err := piece.Eval(x.env)
	return value, err == nil
}

// Nulls returns the operands in an expression that are nil, other than those that are
// compared with a literal nil.
func (e *Expression) Nulls(env Env) []string {
	read, err := parseExpression(e.scope.grammar, e.Source)
	if err != nil {
		return nil
	}
	x := &explainer{env: env, at: e}
	var nulls []string
	walk(read.Node, func(n ast.Node) {
		both, isBinary := n.(*ast.BinaryNode)
		if !isBinary || both.Operator == "??" || is[*ast.NilNode](both.Left) || is[*ast.NilNode](both.Right) {
			return
		}
		for _, side := range []ast.Node{both.Left, both.Right} {
			source := side.String()
			if value, known := x.eval(side); known && value == nil && !slices.Contains(nulls, source) {
				nulls = append(nulls, source)
			}
		}
	})
	return nulls
}
