package expression

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"sync"

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
		switch name.Value {
		case "format":
			found = append(found, misfitsOfFormat(call)...)
		case "concat", "flatten", "uniq", "join":
			found = append(found, noLists(name.Value, call)...)
		}
	}
	for _, call := range nodesOf[*ast.BuiltinNode](root) {
		if len(call.Arguments) != 1 || call.Name != "int" && call.Name != "float" {
			continue
		}
		if text, isText := call.Arguments[0].(*ast.StringNode); isText && !isNumber(text.Value) {
			found = append(found, misfit{at: text, problem: text.String() + " is no number", hint: "a number is written in digits, as in 42, and what is true or false as true, false"})
		}
	}
	return found
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
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

var slots = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{|\}\}|\{(\d+)\}`) })

// misfitsOfFormat finds what does not fit in a call of format whose text is a literal.
func misfitsOfFormat(call *ast.CallNode) (found []misfit) {
	text, isText := call.Arguments[0].(*ast.StringNode)
	if !isText {
		return nil
	}
	values := make([]any, len(call.Arguments)-1)
	if _, err := newMeter().format(text.Value, values...); err != nil {
		problem := fmt.Sprintf("a place in the text has no value (given: %d, from {0} on)", len(values))
		return []misfit{{at: text, problem: problem, hint: `such as format("{0} of {1}", a, b)`}}
	}
	used := slots().FindAllString(text.Value, -1)
	for i := range values {
		if slot := "{" + strconv.Itoa(i) + "}"; !slices.Contains(used, slot) {
			found = append(found, misfit{at: text, problem: fmt.Sprintf("the text has no %s, and leaves %s out", slot, call.Arguments[i+1]), hint: "write " + slot + " where it belongs", warns: true})
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
