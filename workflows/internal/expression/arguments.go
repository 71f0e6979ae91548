package expression

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A misfit is a part of an expression that can't be meant although its types are right: a call
// that can only fail, a comparison that never holds.
type misfit struct {
	at      ast.Node
	length  int // in characters
	problem string
	hint    string
	warns   bool // it may be meant
}

// misfits finds the misfits of an expression.
func (s *Scope) misfits(root ast.Node) []misfit {
	return slices.Concat(s.nevers(root), lonely(root), firstRound(root), misfitArguments(root))
}

// misfitArguments finds the calls whose arguments don't fit.
func misfitArguments(root ast.Node) (found []misfit) {
	for _, call := range nodesOf[*ast.CallNode](root) {
		name, isName := call.Callee.(*ast.IdentifierNode)
		if !isName {
			continue
		}
		if slices.Contains([]string{"concat", "flatten", "uniq", "join"}, name.Value) {
			found = append(found, noLists(name.Value, call)...)
		}
	}
	return found
}

// noLists finds the first argument of a function that is no list.
func noLists(function string, call *ast.CallNode) []misfit {
	lists := call.Arguments
	if function == "join" {
		lists = lists[:min(1, len(lists))]
	}
	for _, n := range lists {
		of := n.Nature()
		if IsUnknown(of) || slices.Contains([]reflect.Kind{reflect.Slice, reflect.Array, reflect.Interface, reflect.Invalid}, of.Kind) {
			continue
		}
		problem := fmt.Sprintf("%s takes a list, and %s is %s", function, n, TypeName(of.String()))
		return []misfit{{at: n, problem: problem, hint: fmt.Sprintf("a list of one is [%s]", n)}}
	}
	return nil
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
		if isPredicate && !contains(predicate, is[*ast.PointerNode]) && !(isBinary && over.Operator == "..") {
			found = append(found, misfit{predicate.Node, len(predicate.Node.String()), "this is the same for each element", elementHint, true})
		}
	}
	return found
}

// checkMisfits reports the misfits of an expression.
func (r *Reader) checkMisfits(e *Expression) {
	for _, m := range e.misfits {
		d := r.report.ErrorWithin(e.Node, e.Offset+byteOffset(e.Source, m.at.Location().From), max(1, m.length), diagnostic.CodeExpression, "%s", m.problem)
		if d.Hint = m.hint; m.warns {
			d.Severity = diagnostic.SeverityWarning
		}
	}
}
