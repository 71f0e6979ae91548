package expression

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// explain adds to a mistake in an expression what was probably meant.
func explain(e *Expression, s *Scope, d *diagnostic.Diagnostic, err *file.Error) {
	switch {
	case strings.HasPrefix(err.Message, "unknown name "):
		name, _, _ := strings.Cut(strings.TrimPrefix(err.Message, "unknown name "), " ")
		d.Message = "unknown name " + tree.Quoted([]string{name})
		d.Hint = s.explainName(name)
		d.Length = len(name)
	case strings.HasPrefix(err.Message, "unknown field "):
		name := strings.TrimPrefix(err.Message, "unknown field ")
		parent, fields := fieldsAt(e.tree.Node, err.From)
		d.Message = "unknown field " + tree.Quoted([]string{name})
		if parent != "" {
			d.Message += " in " + parent
		}
		d.Hint = tree.DidYouMean(name, fields)
		if dashed := tree.WithDash(name, fields); dashed != "" {
			d.Hint = fmt.Sprintf("a name with a dash is written %s[%q]", parent, dashed)
		}
		d.Length = len(name)
		switch parent {
		case "env":
			d.Hint = cmpOr(d.Hint, fmt.Sprintf("name it under the file's \"env\" or the step's: env: [%s]", name))
		case "inputs":
			d.Hint = cmp.Or(d.Hint, `declare it under the file's "inputs"`)
		}
	default:
		explainTypes(e, d, err)
	}
}

// cmpOr gives a hint, or another one when the hint only lists what is known.
func cmpOr(s, other string) string {
	if s != "" && !strings.HasPrefix(s, "known: ") {
		return s
	}
	return other
}

// explainName hints at the name that was meant.
func (s *Scope) explainName(name string) string {
	if why := s.Why[name]; why != "" {
		return why
	}
	if s.steps != nil {
		if problem, _ := s.steps.Problem(name); problem == "" {
			return "a step is steps." + name
		}
	}
	if inputs, ok := s.names["inputs"]; ok && inputs.TypeData != nil {
		if _, isInput := inputs.Fields[name]; isInput {
			return "an input is inputs." + name
		}
	}
	if own := elsewhere[name]; own != "" {
		return own
	}
	known := slices.AppendSeq(s.known(), maps.Keys(s.grammar.builtins))
	if near := nearest.Of(name, known); near != "" {
		return tree.DidYouMean(name, []string{near})
	}
	if why := s.Why[nearest.Of(name, slices.Sorted(maps.Keys(s.Why)))]; why != "" {
		return why
	}
	return "here are " + strings.Join(s.data(), ", ") + `; a text stands in quotes: "` + tree.Clip(name, 40) + `"`
}

// elsewhere are names of other languages, with what they are here.
var elsewhere = map[string]string{
	"failed":    "it is written failure()",
	"succeeded": "it is written success()",
	"cancelled": `that a step was cancelled is steps.<id>.status == "cancelled"`,
	"str":       "it is written string(…)",
	"length":    "it is written len(…)",
}

// data lists the names that stand for data, sorted.
func (s *Scope) data() []string {
	return slices.DeleteFunc(s.known(), func(name string) bool { return s.names[name].Kind == reflect.Func })
}

// fieldsAt finds what has the unknown field at a place of an expression, and
// which fields it does have.
func fieldsAt(root ast.Node, from int) (string, []string) {
	parent, fields := "", []string(nil)
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		member, isMember := n.(*ast.MemberNode)
		if !isMember || member.Property.Location().From != from {
			return
		}
		parent = member.Node.String()
		if of := member.Node.Nature(); of.TypeData != nil {
			fields = slices.Sorted(maps.Keys(of.Fields))
		}
	}))
	if strings.HasPrefix(parent, "#") || len(parent) > 60 {
		parent = ""
	}
	return parent, fields
}
