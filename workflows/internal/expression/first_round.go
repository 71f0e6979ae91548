package expression

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
)

// firstRound finds the fields of what a step of the round before has, where ?? stands for a round without
// one: there is none of them in the first round, which ?? does not catch, but ?. does.
func firstRound(root ast.Node) (found []misfit) {
	for _, defaulted := range nodesOf[*ast.BinaryNode](root) {
		if defaulted.Operator != "??" {
			continue
		}
		for _, n := range nodesOf[*ast.MemberNode](defaulted.Left) {
			property, isName := n.Property.(*ast.StringNode)
			of, isField := n.Node.(*ast.MemberNode)
			if !isName || !isField || n.Optional {
				continue
			}
			if step, isStep := of.Node.(*ast.MemberNode); isStep && isIdentifier(step.Node, "previous") {
				found = append(found, misfit{
					at: property, length: len(property.Value), problem: fmt.Sprintf("in the first round there is no %s, and no field of it for ?? to replace", of),
					hint: fmt.Sprintf("write %s?.%s", of, property.Value),
				})
			}
		}
	}
	return found
}
