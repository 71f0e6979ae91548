package expression

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// predicateHint says how the element, or a field of it, is written for which a
// predicate has a name that there is not; "" for a name outside of predicates.
func predicateHint(e *Expression, from int, name string) (hint string, isField bool) {
	element := ""
	ast.Walk(&e.tree.Node, walkFunc(func(n ast.Node) {
		call, isCall := n.(*ast.BuiltinNode)
		if !isCall || len(call.Arguments) == 0 {
			return
		}
		for _, argument := range call.Arguments {
			if !isPredicate(argument) || !isWithin(argument, from) {
				continue
			}
			element = "#"
			if of := call.Arguments[0].Nature().Elem(nil); of.TypeData != nil {
				if _, isField = of.Fields[name]; isField {
					element = "." + name
				}
			}
		}
	}))
	if element == "" {
		return "", false
	}
	at := byteOffset(e.Source, from)
	return "# is the element there: write " + tree.Clip(strings.TrimSpace(e.Source[:at]+element+e.Source[at+len(name):]), 80), isField
}

// isWithin reports whether a name stands, at a place, in a part of an expression.
func isWithin(part ast.Node, from int) bool {
	found := false
	ast.Walk(&part, walkFunc(func(n ast.Node) {
		_, isName := n.(*ast.IdentifierNode)
		found = found || isName && n.Location().From == from
	}))
	return found
}

// lonely finds the predicates that say nothing of their element. Over a range, which
// counts, that may well be meant.
func lonely(root ast.Node) []ast.Node {
	var found []ast.Node
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		call, isCall := n.(*ast.BuiltinNode)
		if !isCall || len(call.Arguments) < 2 || !isPredicate(call.Arguments[1]) {
			return
		}
		looks := false
		ast.Walk(&call.Arguments[1], walkFunc(func(n ast.Node) {
			_, isElement := n.(*ast.PointerNode)
			looks = looks || isElement
		}))
		if over, isBinary := call.Arguments[0].(*ast.BinaryNode); looks || isBinary && over.Operator == ".." {
			return
		}
		found = append(found, call.Arguments[1].(*ast.PredicateNode).Node)
	}))
	return found
}

// checkPredicates warns of predicates that are the same for each element.
func (r *Reader) checkPredicates(e *Expression) {
	for _, n := range e.lonely {
		d := r.report.ErrorWithin(e.Node, e.Offset+byteOffset(e.Source, n.Location().From), len(n.String()), diagnostic.CodeExpression, "this is the same for each element")
		d.Severity, d.Hint = diagnostic.SeverityWarning, "# is the element, and .name a field of it"
		if text, isText := n.(*ast.StringNode); isText && tree.WordLength(text.Value) == len(text.Value) {
			d.Hint = fmt.Sprintf("the field of each is .%s", text.Value)
		}
	}
}
