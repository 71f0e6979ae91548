package expression

import (
	"cmp"
	_ "embed" // foreign_names.txt
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

const (
	elementHint = "# is the element, and .name a field of it"
	compareHint = `a condition compares, as in x != "", x > 0 or x == "a"`
)

// operandHints say what was meant by an operator whose operands are no conditions.
var operandHints = map[string]string{
	"||": `a default is written x ?? "a"; ` + compareHint, "or": `a default is written x ?? "a"; ` + compareHint,
	"&&": "one of two values is written condition ? a : b; " + compareHint, "and": "one of two values is written condition ? a : b; " + compareHint,
	"!": compareHint, "not": compareHint, "+": "string(x) makes a text of a number, int(x) a number of a text",
}

// foreignNames has names of other languages in each line, and behind = the hint for them.
//
//go:embed foreign_names.txt
var foreignNames string

// elsewhere are the hints for names of other languages, those of functions among them.
var elsewhere = sync.OnceValue(func() map[string]string { return nearest.Table(foreignNames) })

// explain rewrites an error of expr's checker, and suggests what was meant.
func (s *Scope) explain(e *Expression, d *diagnostic.Diagnostic, err *file.Error) {
	says := func(prefix string) bool { return strings.HasPrefix(err.Message, prefix) }
	of, field, fields := memberAt(e.tree.Node, err.From)
	switch {
	case says("unknown name "):
		name, _, _ := strings.Cut(strings.TrimPrefix(err.Message, "unknown name "), " ")
		behind := e.Source[min(byteOffset(e.Source, err.From)+len(name), len(e.Source)):]
		d.Message, d.Length = fmt.Sprintf("unknown name %q", name), utf8.RuneCountInString(name)
		d.Hint = s.nameHint(name, strings.HasPrefix(strings.TrimSpace(behind), "("), inPredicate(e.tree.Node, err.From))
	case says("unknown field "):
		s.explainField(d, of, strings.TrimPrefix(err.Message, "unknown field "), fields)
	case says("not enough arguments to call "):
		function := strings.TrimSpace(strings.TrimPrefix(err.Message, "not enough arguments to call "))
		d.Message, d.Hint = function+" takes more arguments", s.grammar.Example(function)
	case says("invalid number of arguments "), says("too many arguments to call "):
		function := e.Source[byteOffset(e.Source, err.From):]
		function = function[:tree.WordLength(function)]
		d.Message, d.Hint = function+" takes other arguments", s.grammar.Example(function)
	case says("array elements can only be selected using an integer"):
		if d.Hint = "of a list take one element, list[0], or all of them, map(list, .x)"; field != "" {
			d.Message, d.Length = fmt.Sprintf("a list has no field %q", field), utf8.RuneCountInString(field)
			d.Hint = fmt.Sprintf("of a list take one element, %[1]s[0].%[2]s, or all of them, map(%[1]s, .%[2]s)", of, field)
		}
	case says("type string has no") && field != "":
		d.Message, d.Length = fmt.Sprintf("%s is a text, and has no field %q", of, field), utf8.RuneCountInString(field)
		if d.Hint = elsewhere()[field]; d.Hint == "" && s.isFunction(field) {
			d.Hint = fmt.Sprintf("it is written %s(%s, …)", field, of)
		}
		d.Hint = cmp.Or(d.Hint, fmt.Sprintf(`with "output: json" or a JSON Schema a step's output has fields; fromJSON(%s) reads a text that is JSON`, of))
	case says("type string["):
		d.Message, d.Hint = "a text has no elements", `a part of a text is text[0:3]; with "output: lines" or "output: json" a step's output may be a list`
	case says("type func(") && field != "":
		d.Message, d.Hint = fmt.Sprintf("%s is a function, and has no field %q", of, field), "a step is steps."+of
	case says("cannot use int to get an element from map"):
		d.Message, d.Hint = "this is no list, of which an element could be taken", `a field is written .name, or ["name"]`
	case says("non-bool expression ("):
		d.Message, d.Hint = "before ? stands a condition that is true or false", compareHint
	case says("error parsing regexp: "):
		d.Message = "the pattern can't be read: " + strings.TrimPrefix(err.Message, "error parsing regexp: ")
	case says("invalid operation: "):
		operator, _, _ := strings.Cut(strings.TrimPrefix(err.Message, "invalid operation: "), " ")
		if d.Hint = operandHints[operator]; strings.Contains(err.Message, "func(") {
			d.Hint = "a function is called: success()"
		}
	}
}

// explainField rewrites the error for a field that a value has not.
func (s *Scope) explainField(d *diagnostic.Diagnostic, of, name string, fields []string) {
	d.Message, d.Length = fmt.Sprintf("unknown field %q", name), utf8.RuneCountInString(name)
	if of != "list" {
		d.Message += " in " + of
	}
	switch dashed := tree.WithDash(name, fields); {
	case dashed != "":
		d.Hint = fmt.Sprintf("a name with a dash is written %s[%q]", of, dashed)
	case of == "env" && nearest.Of(name, fields) == "":
		d.Hint = fmt.Sprintf("name it under the file's \"env\" or the step's: env: [%s]", name)
	case of == "inputs":
		d.Hint = cmp.Or(tree.DidYouMean(name, fields), `declare it under the file's "inputs"`)
	default:
		d.Hint = tree.DidYouMean(name, fields)
	}
}

// nameHint suggests a name for an unknown one.
func (s *Scope) nameHint(name string, called, inPredicate bool) string {
	known := s.Data()
	if called {
		known = slices.DeleteFunc(slices.AppendSeq(s.known(), maps.Keys(s.grammar.builtins)), func(name string) bool { return slices.Contains(known, name) })
	}
	near, foreign := nearest.Of(name, known), nearest.Within(len(name)/5, name, slices.Sorted(maps.Keys(elsewhere())))
	plain := strings.TrimLeft(name, "$")
	switch {
	case !called && slices.Contains(stepStatuses(), name):
		return fmt.Sprintf(`a status is a text, in quotes: %q; that a step has failed is failure()`, name)
	case s.Why[name] != "" && !inPredicate:
		return s.Why[name]
	case elsewhere()[name] != "" && !inPredicate:
		return elsewhere()[name]
	case s.hasStep(plain):
		return "a step is steps." + plain
	case s.hasInput(plain):
		return "an input is inputs." + plain
	case plain != name:
		return "a variable of the environment is env." + plain
	case near != "":
		return fmt.Sprintf("did you mean %q?", near)
	case inPredicate:
		return elementHint
	case foreign != "":
		return elsewhere()[foreign]
	case called:
		return "flow functions lists those that there are"
	}
	return "here are " + strings.Join(known, ", ") + `; a text stands in quotes: "` + tree.Clip(name, 40) + `"`
}

func (s *Scope) hasStep(id string) bool {
	steps := s.steps["steps"]
	if steps == nil {
		return false
	}
	problem, _ := steps.Problem(id)
	return problem == ""
}

func (s *Scope) hasInput(name string) bool {
	inputs, ok := s.names["inputs"]
	if !ok || inputs.TypeData == nil {
		return false
	}
	_, has := inputs.Fields[name]
	return has
}

// isFunction reports whether expressions have a function with that name.
func (s *Scope) isFunction(name string) bool {
	_, builtin := s.grammar.builtins[name]
	return builtin || s.names[name].Kind == reflect.Func
}

// Data lists the names that stand for data, sorted.
func (s *Scope) Data() []string {
	return slices.DeleteFunc(s.known(), func(name string) bool { return s.names[name].Kind == reflect.Func })
}

// inPredicate reports whether the name at a position stands for something of each element.
func inPredicate(root ast.Node, from int) bool {
	return slices.ContainsFunc(nodesOf[*ast.PredicateNode](root), func(p *ast.PredicateNode) bool {
		return contains(p, func(n ast.Node) bool { return is[*ast.IdentifierNode](n) && n.Location().From == from })
	})
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
