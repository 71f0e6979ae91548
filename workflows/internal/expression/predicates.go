package expression

import (
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// predicateHint shows how the element of a predicate, or a field of it, is written where
// an unknown name stands; "" for a name outside of predicates.
func predicateHint(e *Expression, from int, name string) (hint string, isField bool) {
	element := ""
	walk(e.tree.Node, func(n ast.Node) {
		call, isCall := n.(*ast.BuiltinNode)
		if !isCall || len(call.Arguments) == 0 {
			return
		}
		for _, argument := range call.Arguments {
			hasName := contains(argument, func(n ast.Node) bool { return is[*ast.IdentifierNode](n) && n.Location().From == from })
			if !is[*ast.PredicateNode](argument) || !hasName {
				continue
			}
			element = "#"
			if of := call.Arguments[0].Nature().Elem(nil); of.TypeData != nil {
				if _, isField = of.Fields[name]; isField {
					element = "." + name
				}
			}
		}
	})
	if element == "" {
		return "", false
	}
	at := byteOffset(e.Source, from)
	return "# is the element there: write " + tree.Clip(strings.TrimSpace(e.Source[:at]+element+e.Source[at+len(name):]), 80), isField
}

// lonely finds the predicates that don't use their element, and so are the same for each. Over a
// range, which only counts, that may well be meant.
func lonely(root ast.Node) (found []misfit) {
	for _, call := range nodesOf[*ast.BuiltinNode](root) {
		if len(call.Arguments) < 2 {
			continue
		}
		predicate, isPredicate := call.Arguments[1].(*ast.PredicateNode)
		over, isBinary := call.Arguments[0].(*ast.BinaryNode)
		if !isPredicate || contains(predicate, is[*ast.PointerNode]) || isBinary && over.Operator == ".." {
			continue
		}
		hint := "# is the element, and .name a field of it"
		if text, isText := predicate.Node.(*ast.StringNode); isText && tree.WordLength(text.Value) == len(text.Value) {
			hint = "the field of each is ." + text.Value
		}
		found = append(found, misfit{predicate.Node, len(predicate.Node.String()), "this is the same for each element", hint, true})
	}
	return found
}
