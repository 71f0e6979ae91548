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
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// foreignNames has names of other languages in each line, and behind = the hint for them.
//
//go:embed foreign_names.txt
var foreignNames string

// elsewhere are the hints for names of other languages, those of functions among them.
var elsewhere = sync.OnceValue(func() map[string]string { return nearest.Table(foreignNames) })

// explain rewrites an error of expr's checker about a name, a field or a call, and suggests what was meant.
func (s *Scope) explain(e *Expression, d *diagnostic.Diagnostic, err *file.Error) {
	says := func(prefix string) bool { return strings.HasPrefix(err.Message, prefix) }
	word := e.Source[byteOffset(e.Source, err.From):]
	word, behind := word[:tree.WordLength(word)], word[tree.WordLength(word):]
	of, field, fields := memberAt(e.tree.Node, err.From)
	switch {
	case says("unknown name "):
		name, _, _ := strings.Cut(strings.TrimPrefix(err.Message, "unknown name "), " ")
		d.Message, d.Length = fmt.Sprintf("unknown name %q", name), utf8.RuneCountInString(name)
		d.Hint = s.nameHint(name, strings.HasPrefix(strings.TrimSpace(behind), "("), inPredicate(e.tree.Node, err.From))
	case says("unknown field "):
		d.Message, d.Length, d.Hint = fmt.Sprintf("unknown field %q in %s", field, of), utf8.RuneCountInString(field), fieldHint(of, field, fields)
	case says("not enough arguments "), says("invalid number of arguments "), says("too many arguments "):
		d.Message, d.Hint = word+" takes other arguments", s.grammar.Example(word)
	case strings.HasSuffix(d.Message, "has no field") && field != "":
		d.Message, d.Length = fmt.Sprintf("%s %q", d.Message, field), utf8.RuneCountInString(field)
		switch name := elsewhere()[field]; {
		case s.grammar.IsFunction(field):
			d.Hint = fmt.Sprintf("it is written %s(…)", field)
		case says("type string"), strings.HasPrefix(name, "it is written"):
			d.Hint = cmp.Or(name, d.Hint)
		}
	}
}

// fieldHint suggests a field for one that a value has not.
func fieldHint(of, name string, fields []string) string {
	switch dashed := tree.WithDash(name, fields); {
	case dashed != "":
		return fmt.Sprintf("a name with a dash is written %s[%q]", of, dashed)
	case of == "env" && nearest.Of(name, fields) == "":
		return fmt.Sprintf("name it under the file's \"env\" or the step's: env: [%s]", name)
	case of == "inputs":
		return cmp.Or(tree.DidYouMean(name, fields), `declare it under the file's "inputs"`)
	}
	return tree.DidYouMean(name, fields)
}

// nameHint suggests a name for an unknown one.
func (s *Scope) nameHint(name string, called, inPredicate bool) string {
	known := s.Data()
	if called {
		known = slices.DeleteFunc(slices.AppendSeq(s.known(), maps.Keys(s.grammar.builtins)), func(name string) bool { return slices.Contains(known, name) })
	}
	near, foreign := nearest.Of(name, known), nearest.Within(len(name)/5, name, slices.Sorted(maps.Keys(elsewhere())))
	switch {
	case inPredicate && near == "":
		return "# is the element, and .name a field of it"
	case inPredicate:
		return fmt.Sprintf("did you mean %q?", near)
	case elsewhere()[name] != "":
		return elsewhere()[name]
	case s.hasStep("steps", name):
		return "a step is steps." + name
	case s.hasField("inputs", name):
		return "an input is inputs." + name
	case near != "":
		return fmt.Sprintf("did you mean %q?", near)
	case foreign != "":
		return elsewhere()[foreign]
	case called:
		return "flow functions lists those that there are"
	}
	return "here are " + strings.Join(known, ", ") + `; a text stands in quotes: "` + tree.Clip(name, 40) + `"`
}

// Names reports whether a text begins with a name of data: inputs.<name>, steps.<id>, or an element.
func (s *Scope) Names(text string) bool {
	path := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(". [|", r) })
	switch {
	case len(path) == 0:
		return false
	case path[0] == "inputs" || path[0] == "steps":
		return len(path) > 1 && (s.hasField(path[0], path[1]) || s.hasStep(path[0], path[1]))
	}
	return slices.Contains(s.Data(), path[0]) && !slices.Contains([]string{"env", "run", "workflow", "previous"}, path[0])
}

func (s *Scope) hasStep(name, id string) bool {
	if s.steps[name] == nil {
		return false
	}
	problem, _ := s.steps[name].Problem(id)
	return problem == ""
}

func (s *Scope) hasField(name, field string) bool {
	of := s.names[name]
	if of.TypeData == nil {
		return false
	}
	_, has := of.Fields[field]
	return has
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
// that it belongs to, and the fields of that value.
func memberAt(root ast.Node, from int) (of, name string, fields []string) {
	for _, member := range nodesOf[*ast.MemberNode](root) {
		property, isName := member.Property.(*ast.StringNode)
		if !isName || member.Property.Location().From != from && member.Location().From != from {
			continue
		}
		of, name = tree.Clip(member.Node.String(), 60), property.Value
		if parent := member.Node.Nature(); parent.TypeData != nil {
			fields = slices.Sorted(maps.Keys(parent.Fields))
		}
	}
	return of, name, fields
}
