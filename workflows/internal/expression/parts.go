package expression

import (
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
)

// A Part is a piece of an expression, with the value that it has.
type Part struct {
	Source string
	Value  any
}

// mostParts bounds what [Expression.Parts] returns.
const mostParts = 12

// Parts are the pieces of a condition on which it hangs, with their values: what is
// compared, counted or called. Of `and` only those pieces are given that make it
// false. A piece without a value is left out. The scope is that with which the
// expression was compiled.
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

// condition goes through what is true or false.
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
					return // the rest is not looked at either when it is evaluated
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

// show adds a piece; of a call with a predicate what it goes over.
func (x *explainer) show(n ast.Node) {
	switch n := n.(type) {
	case *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode, *ast.ArrayNode, *ast.MapNode, *ast.ConstantNode:
		return
	case *ast.BuiltinNode:
		if len(n.Arguments) > 0 && n.Name != "len" && slices.ContainsFunc(n.Arguments, isPredicate) {
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

func isPredicate(n ast.Node) bool {
	_, is := n.(*ast.PredicateNode)
	return is
}

// eval computes a piece by itself.
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

// Nulls are the pieces of an expression that are compared or computed with, and are
// nil: where the other side is not a plain nil.
func (e *Expression) Nulls(s *Scope, env Env) []string {
	read, err := parseExpression(s.grammar, e.Source)
	if err != nil {
		return nil
	}
	x := &explainer{scope: s, env: env, at: e}
	var nulls []string
	ast.Walk(&read.Node, walkFunc(func(n ast.Node) {
		both, is := n.(*ast.BinaryNode)
		if !is || both.Operator == "??" || isNil(both.Left) || isNil(both.Right) {
			return
		}
		for _, side := range []ast.Node{both.Left, both.Right} {
			source := side.String()
			if value, known := x.eval(side); known && value == nil && !slices.Contains(nulls, source) {
				nulls = append(nulls, source)
			}
		}
	}))
	return nulls
}

func isNil(n ast.Node) bool {
	_, is := n.(*ast.NilNode)
	return is
}
