package expression

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// explainTypes rewrites an error about types, and suggests what was meant.
func (s *Scope) explainTypes(e *Expression, d *diagnostic.Diagnostic, err *file.Error, want reflect.Kind) {
	switch {
	case strings.HasPrefix(err.Message, "array elements can only be selected using an integer"):
		explainListField(e, d, err.From)
	case strings.HasPrefix(err.Message, "type func("):
		if of, name, _ := memberAt(e.tree.Node, err.From); name != "" {
			d.Message = fmt.Sprintf("%s is a function, and has no field %q", of, name)
			d.Hint = fmt.Sprintf("a step is steps.%s", of)
		}
	case strings.HasPrefix(err.Message, "cannot use int to get an element from map"):
		d.Message, d.Hint = "this is no list, of which an element could be taken", `a field is written .name, or ["name"]`
	case strings.HasPrefix(err.Message, "type string["):
		explainCharacter(e, d, err.From)
	case strings.HasPrefix(err.Message, "type string has no"):
		s.explainTextField(e, d, err.From)
	case strings.HasPrefix(err.Message, "invalid operation: "):
		s.explainOperands(e.tree.Node, d, err.From, want)
	case strings.HasPrefix(err.Message, "non-bool expression ("):
		s.explainChoice(e.tree.Node, d, err.From)
	case strings.HasPrefix(err.Message, "error parsing regexp: "):
		d.Message = "the pattern can't be read: " + strings.TrimPrefix(err.Message, "error parsing regexp: ")
	}
}

// explainListField rewrites the error for a field of a list, and suggests what was meant.
func explainListField(e *Expression, d *diagnostic.Diagnostic, from int) {
	of, name, _ := memberAt(e.tree.Node, from)
	if name == "" {
		d.Hint = "of a list take one element, list[0], or all of them, map(list, .x)"
		return
	}
	d.Message, d.Length = fmt.Sprintf("a list has no field %q", name), utf8.RuneCountInString(name)
	d.Hint = fmt.Sprintf("of a list take one element, %s[0].%s, or all of them, map(%s, .%s)", of, name, of, name)
}

// explainCharacter explains an element of a text.
func explainCharacter(e *Expression, d *diagnostic.Diagnostic, from int) {
	for _, member := range nodesOf[*ast.MemberNode](e.tree.Node) {
		if member.Location().From == from || member.Property.Location().From == from {
			d.Message = tree.Clip(member.Node.String(), 60) + " is a text, and has no elements"
			if at, isNumber := member.Property.(*ast.IntegerNode); isNumber {
				d.Hint = fmt.Sprintf("a part of a text is written %s[%d:%d]", member.Node, at.Value, at.Value+1)
				if step, isText := strings.CutSuffix(member.Node.String(), ".text"); isText {
					d.Hint = fmt.Sprintf("the output of a step may be a list: %s.output[%d]", step, at.Value)
				}
			}
		}
	}
}

// explainTextField rewrites the error for a field of a text. The output of a step is text
// unless its form says otherwise.
func (s *Scope) explainTextField(e *Expression, d *diagnostic.Diagnostic, from int) {
	of, name, _ := memberAt(e.tree.Node, from)
	if name == "" {
		return
	}
	d.Message, d.Length = fmt.Sprintf("%s is a text, and has no field %q", of, name), utf8.RuneCountInString(name)
	switch {
	case strings.HasPrefix(elsewhere()[name], "it is written "):
		d.Hint = elsewhere()[name]
	case s.isFunction(name):
		d.Hint = fmt.Sprintf("it is written %s(%s, …)", name, of)
	case of == "output" || strings.HasPrefix(of, "steps.") && (strings.HasSuffix(of, ".output") || strings.HasSuffix(of, ".text")):
		d.Hint = `with "output: json", or a JSON Schema, a step's output has fields`
	default:
		d.Hint = fmt.Sprintf("write %s for all of it; fromJSON(%[1]s) reads one that is JSON", of)
	}
}

// isFunction reports whether expressions have a function with that name.
func (s *Scope) isFunction(name string) bool {
	_, builtin := s.grammar.builtins[name]
	return builtin || s.names[name].Kind == reflect.Func
}

// memberAt returns the field at a position of an expression, "" for none, the source of the value
// that it belongs to, "list" where that is too long for a message, and the fields of that value.
func memberAt(root ast.Node, from int) (of, name string, fields []string) {
	for _, member := range nodesOf[*ast.MemberNode](root) {
		property, isName := member.Property.(*ast.StringNode)
		if !isName || member.Property.Location().From != from && member.Location().From != from {
			continue
		}
		of, name = member.Node.String(), property.Value
		if parent := member.Node.Nature(); parent.TypeData != nil {
			fields = slices.Sorted(maps.Keys(parent.Fields))
		}
	}
	const longest = 60
	if len(of) > longest || strings.Contains(of, "#") {
		of = "list"
	}
	return of, name, fields
}

// explainOperands explains why an operator does not go with its operands, and suggests what
// was meant.
func (s *Scope) explainOperands(root ast.Node, d *diagnostic.Diagnostic, from int, want reflect.Kind) {
	var at, around *ast.BinaryNode
	walk(root, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.UnaryNode:
			if n.Location().From == from && (n.Operator == "!" || n.Operator == "not") {
				d.Message = fmt.Sprintf("%q takes a condition, and %s is %s", n.Operator, tree.Clip(n.Node.String(), 40), TypeName(n.Node.Nature().String()))
				d.Hint = "write " + s.holding(n.Node, false)
			}
		case *ast.BinaryNode:
			if n.Location().From == from {
				at = n
			} else if left, isBinary := n.Left.(*ast.BinaryNode); isBinary && left.Location().From == from {
				around = n
			}
		}
	})
	if at != nil && isLogic(at.Operator) {
		s.explainLogic(d, at, around, want)
	}
}

// explainChoice explains a choice by what is no condition.
func (s *Scope) explainChoice(root ast.Node, d *diagnostic.Diagnostic, from int) {
	walk(root, func(n ast.Node) {
		choice, isChoice := n.(*ast.ConditionalNode)
		if isChoice && choice.Cond.Location().From == from {
			d.Message = fmt.Sprintf("before ? stands a condition, and %s is %s", tree.Clip(choice.Cond.String(), 40), TypeName(choice.Cond.Nature().String()))
			d.Hint = fmt.Sprintf("write %s ? %s : %s", s.holding(choice.Cond, true), choice.Exp1, choice.Exp2)
		}
	})
}

// isLogic reports whether an operator goes between conditions.
func isLogic(operator string) bool {
	return operator == "||" || operator == "or" || operator == "&&" || operator == "and"
}

// explainLogic is explainOperands for and and or, whose value is a condition, and not one
// of their operands as in other languages.
func (s *Scope) explainLogic(d *diagnostic.Diagnostic, at, around *ast.BinaryNode, want reflect.Kind) {
	wrong := at.Left
	if wrong.Nature().Kind == reflect.Bool {
		wrong = at.Right
	}
	if wrong.Nature().Kind == reflect.Func {
		d.Message = fmt.Sprintf("%q goes between conditions, and %s is a function", at.Operator, wrong)
		d.Hint = fmt.Sprintf("a call has brackets: %s()", wrong)
		return
	}
	d.Message = fmt.Sprintf("%q goes between conditions, and %s is %s", at.Operator, tree.Clip(wrong.String(), 40), TypeName(wrong.Nature().String()))
	left, right := at.Left.String(), at.Right.String()
	isOr := at.Operator == "||" || at.Operator == "or"
	switch {
	case want == reflect.Bool:
		d.Hint = fmt.Sprintf("write %s %s %s", s.holding(at.Left, true), at.Operator, s.holding(at.Right, true))
	case !isOr && around != nil && isLogic(around.Operator):
		d.Hint = fmt.Sprintf("write %s ? %s : %s", s.holding(at.Left, true), right, around.Right)
	case !isOr:
		d.Hint = fmt.Sprintf(`write %s ? %s : ""`, s.holding(at.Left, true), right)
	case isText(at.Left.Nature()):
		d.Hint = fmt.Sprintf("write %s ? %s : %s; where it may not be there at all, %s ?? %s", s.holding(at.Left, true), left, right, left, right)
	default:
		d.Hint = fmt.Sprintf("where it may not be there write %s ?? %s", left, right)
	}
}

// holding writes the condition that a value is there, such as that a text is not empty, or
// that it is not there. Of a step, and a value with few choices, it is that it is the first.
func (s *Scope) holding(n ast.Node, there bool) string {
	equal, unequal, more, not := "!=", "==", "==", "not "
	if there {
		equal, unequal, more, not = "==", "!=", ">", ""
	}
	if choices := s.choicesOf(n); len(choices) > 0 {
		return fmt.Sprintf("%s %s %q", n, equal, choices[0])
	}
	if isStepType(n) {
		return fmt.Sprintf("%s.status %s %q", n, equal, stepStatuses()[0])
	}
	if member, isMember := n.(*ast.MemberNode); isMember && n.Nature().Kind == reflect.Map && isStepType(member.Node) {
		return fmt.Sprintf("%s %s nil", n, unequal) // its error
	}
	if text, isLiteral := n.(*ast.StringNode); isLiteral && (text.Value == "true" || text.Value == "false") {
		return not + text.Value
	}
	switch n.Nature().Kind {
	case reflect.String:
		return fmt.Sprintf(`%s %s ""`, n, unequal)
	case reflect.Slice, reflect.Array, reflect.Map:
		return fmt.Sprintf("len(%s) %s 0", n, more)
	case reflect.Int, reflect.Float64:
		return fmt.Sprintf("%s %s 0", n, unequal)
	}
	return not + n.String()
}

// isNumeric reports whether a text consists of digits.
func isNumeric(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
