package expression

import (
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
)

// A Part is a part of an expression, with its value.
type Part struct {
	Source string
	Value  any
}

// mostParts bounds what [Expression.Parts] returns.
const mostParts = 12

// Parts returns the parts of a condition that decide it, with their values: what is
// compared, counted or called. Of `and` it returns only the parts that make it false. A
// part without a value is left out. The scope is that with which the expression was
// compiled.
func (e *Expression) Parts(s *Scope, env Env) []Part {
	read, err := parseExpression(s.grammar, e.Source)
	if err != nil {
		return nil
	}
	x := &explainer{scope: s, env: env, at: e}
	x.condition(read.Node)
	return x.parts
}

// An explainer collects the parts of one expression.
type explainer struct {
	scope *Scope
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
	if !known || len(x.parts) == mostParts || slices.ContainsFunc(x.parts, func(p Part) bool { return p.Source == source }) {
		return
	}
	x.parts = append(x.parts, Part{source, value})
}

// eval evaluates a part by itself; false where it has no value.
func (x *explainer) eval(n ast.Node) (any, bool) {
	read, err := parseExpression(x.scope.grammar, n.String())
	if err != nil {
		return nil, false
	}
	piece := &Expression{Source: n.String(), Node: x.at.Node, tree: read, Result: nature.Nature{}}
	if err := piece.compile(x.scope, reflect.Invalid); err != nil {
		return nil, false
	}
	value, err := piece.Eval(x.env)
	return value, err == nil
}

// Nulls returns the operands in an expression that are nil, other than those that are
// compared with a literal nil.
func (e *Expression) Nulls(s *Scope, env Env) []string {
	read, err := parseExpression(s.grammar, e.Source)
	if err != nil {
		return nil
	}
	x := &explainer{scope: s, env: env, at: e}
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
