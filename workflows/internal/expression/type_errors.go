package expression

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// explainTypes adds to a mistake of types what was probably meant.
func explainTypes(e *Expression, d *diagnostic.Diagnostic, err *file.Error) {
	switch {
	case strings.HasPrefix(err.Message, "array elements can only be selected using an integer"):
		explainListField(e, d, err.From)
	case strings.HasPrefix(err.Message, "type func("):
		if of, name := memberAt(e.tree.Node, err.From); name != "" {
			d.Message = fmt.Sprintf("%s is a function, and has no field %q", of, name)
			d.Hint = fmt.Sprintf("a step is steps.%s", of)
		}
	case strings.HasPrefix(err.Message, "type string has no"):
		explainTextField(e, d, err.From)
	case strings.HasPrefix(err.Message, "invalid operation: "):
		d.Hint = operandsHint(e.tree.Node, err.From)
		d.Message = plainOperation(d.Message)
	case strings.HasPrefix(err.Message, "cannot use "):
		d.Message = plainArgument(d.Message)
	case strings.HasPrefix(err.Message, "error parsing regexp: "):
		d.Message = "the pattern can't be read: " + strings.TrimPrefix(err.Message, "error parsing regexp: ")
	}
}

// plainOperation rewords that an operator does not go with what is beside it.
func plainOperation(message string) string {
	operator, types, both := strings.Cut(strings.TrimPrefix(message, "invalid operation: "), " (mismatched types ")
	if !both {
		return message
	}
	types = strings.TrimSuffix(types, ")")
	switch operator {
	case "||", "or", "&&", "and":
		return fmt.Sprintf("%q stands between what is true or false, and not between %s", operator, types)
	}
	return fmt.Sprintf("%q does not go with %s", operator, types)
}

// plainArgument rewords that a function takes something else at a place.
func plainArgument(message string) string {
	given, rest, ok := strings.Cut(strings.TrimPrefix(message, "cannot use "), " as argument (type ")
	want, function, also := strings.Cut(rest, ") to call ")
	if !ok || !also {
		return message
	}
	return fmt.Sprintf("%s takes %s here, not %s", strings.TrimSpace(function), want, given)
}

// explainListField rewords that a list has no field, and says how what was meant is
// written.
func explainListField(e *Expression, d *diagnostic.Diagnostic, from int) {
	of, name := memberAt(e.tree.Node, from)
	if name == "" {
		d.Hint = "of a list take one element, list[0], or all of them, map(list, .x)"
		return
	}
	d.Message, d.Length = fmt.Sprintf("a list has no field %q", name), len(name)
	if d.Hint = fmt.Sprintf("write "+listMethods[name], of); listMethods[name] == "" {
		d.Hint = fmt.Sprintf("of a list take one element, %s[0].%s, or all of them, map(%s, .%s)", of, name, of, name)
	}
}

// explainTextField rewords that a text has no field: what a step gives is text
// unless its output says otherwise.
func explainTextField(e *Expression, d *diagnostic.Diagnostic, from int) {
	of, name := memberAt(e.tree.Node, from)
	if name == "" {
		return
	}
	d.Message, d.Length = fmt.Sprintf("%s is a text, and has no field %q", of, name), len(name)
	switch {
	case textMethods[name] != "":
		d.Hint = fmt.Sprintf("write "+textMethods[name], of)
	case of == "output" || strings.HasPrefix(of, "steps.") && (strings.HasSuffix(of, ".output") || strings.HasSuffix(of, ".text")):
		d.Hint = `with "output: json", or a JSON Schema, a step's output has fields`
	default:
		d.Hint = fmt.Sprintf("fromJSON(%s) reads JSON", of)
	}
}

// Methods of lists and texts in other languages, with what is written here.
var (
	listMethods = map[string]string{
		"length": "len(%s)", "size": "len(%s)", "count": "len(%s)", "join": `join(%s, ",")`, "map": "map(%s, .x)", "filter": "filter(%s, .x == 1)",
		"includes": "x in %s", "contains": "x in %s",
	}
	textMethods = map[string]string{
		"length": "len(%s)", "size": "len(%s)", "includes": `%s contains "x"`, "contains": `%s contains "x"`, "startsWith": `%s startsWith "x"`,
		"endsWith": `%s endsWith "x"`, "matches": `%s matches "x"`, "trim": "trim(%s)", "split": `split(%s, ",")`, "toLowerCase": "lower(%s)",
		"lower": "lower(%s)", "toUpperCase": "upper(%s)", "upper": "upper(%s)", "replace": `replace(%s, "a", "b")`,
	}
)

// memberAt finds the field that stands at a place of an expression: its name, and
// what it was looked for in; "" where there is none, or that is too long to say.
func memberAt(root ast.Node, from int) (of, name string) {
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		member, isMember := n.(*ast.MemberNode)
		if !isMember || member.Property.Location().From != from && member.Location().From != from {
			return
		}
		if property, isName := member.Property.(*ast.StringNode); isName {
			of, name = member.Node.String(), property.Value
		}
	}))
	const longest = 60
	if len(of) > longest || strings.Contains(of, "#") {
		return "list", name
	}
	return of, name
}

// operandsHint says how an operator is written whose operands don't go together.
func operandsHint(root ast.Node, from int) string {
	var at *ast.BinaryNode
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		if binary, isBinary := n.(*ast.BinaryNode); isBinary && binary.Location().From == from {
			at = binary
		}
	}))
	if at == nil {
		return ""
	}
	left, right := at.Left.String(), at.Right.String()
	switch at.Operator {
	case "||", "or":
		return fmt.Sprintf("a default is written %s ?? %s; it takes the place of what is not there, and not of an empty text", left, right)
	case "&&", "and":
		return fmt.Sprintf("both sides must be true or false: compare them, as in %s != \"\"", left)
	case "contains":
		if isText(at.Right.Nature()) {
			return fmt.Sprintf("whether a list has an element: %s in %s", right, left)
		}
	case "+":
		if isText(at.Left.Nature()) {
			return fmt.Sprintf("string(%s) makes a text of it", right)
		}
		if isText(at.Right.Nature()) {
			return fmt.Sprintf("string(%s) makes a text of it", left)
		}
	case "==", "!=", "<", "<=", ">", ">=":
		return comparisonHint(at)
	}
	return ""
}

// comparisonHint is operandsHint for what is compared.
func comparisonHint(at *ast.BinaryNode) string {
	text, isLiteral := at.Right.(*ast.StringNode)
	switch {
	case isLiteral && isNumeric(text.Value):
		return "a number is written without quotes: " + text.Value
	case isLiteral && (text.Value == "true" || text.Value == "false"):
		return "true and false are written without quotes: " + text.Value
	case isLiteral:
		return ""
	case isText(at.Left.Nature()):
		return fmt.Sprintf("int(%s) makes a number of a text", at.Left)
	case isText(at.Right.Nature()):
		return fmt.Sprintf("int(%s) makes a number of a text", at.Right)
	}
	return ""
}

// isNumeric reports whether a text is digits alone.
func isNumeric(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
