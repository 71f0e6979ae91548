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

	"github.com/expr-lang/expr/file"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// explain rewrites an error of expr's checker, and suggests what was meant.
func explain(e *Expression, s *Scope, d *diagnostic.Diagnostic, err *file.Error, want reflect.Kind) {
	switch {
	case strings.HasPrefix(err.Message, "unknown name "):
		name, _, _ := strings.Cut(strings.TrimPrefix(err.Message, "unknown name "), " ")
		d.Message = "unknown name " + tree.Quoted([]string{name})
		if within, isField := predicateHint(e, err.From, name); isField {
			d.Hint = within
		} else {
			d.Hint = s.explainName(name, isCalled(e.Source, err.From, name), within)
		}
		d.Length = utf8.RuneCountInString(name)
	case strings.HasPrefix(err.Message, "unknown field "):
		name := strings.TrimPrefix(err.Message, "unknown field ")
		parent, _, fields := memberAt(e.tree.Node, err.From)
		d.Message = "unknown field " + tree.Quoted([]string{name})
		if parent != "list" {
			d.Message += " in " + parent
		}
		d.Hint = tree.DidYouMean(name, fields)
		if dashed := tree.WithDash(name, fields); dashed != "" {
			d.Hint = fmt.Sprintf("a name with a dash is written %s[%q]", parent, dashed)
		}
		d.Length = utf8.RuneCountInString(name)
		switch parent {
		case "env":
			if nearest.Of(name, fields) == "" {
				d.Hint = fmt.Sprintf("name it under the file's \"env\" or the step's: env: [%s]", name)
			}
		case "inputs":
			d.Hint = cmp.Or(d.Hint, `declare it under the file's "inputs"`)
		}
	case strings.HasPrefix(err.Message, "not enough arguments to call "):
		d.Message = strings.TrimPrefix(err.Message, "not enough arguments to call ") + " takes more arguments"
		d.Hint = s.grammar.Example(strings.Fields(d.Message)[0])
	case strings.HasPrefix(err.Message, "invalid number of arguments "), strings.HasPrefix(err.Message, "too many arguments to call "):
		function := e.Source[byteOffset(e.Source, err.From):]
		function = function[:tree.WordLength(function)]
		d.Message, d.Hint = function+" takes other arguments", s.grammar.Example(function)
	default:
		s.explainTypes(e, d, err, want)
	}
}

// isCalled reports whether the name at a character of the source is called.
func isCalled(source string, from int, name string) bool {
	behind := source[min(byteOffset(source, from)+len(name), len(source)):]
	return strings.HasPrefix(strings.TrimSpace(behind), "(")
}

// explainName suggests a name for an unknown one. within is the hint for the element of a
// predicate; "" outside of one.
func (s *Scope) explainName(name string, called bool, within string) string {
	if !called && slices.Contains(stepStatuses(), name) {
		return statusHint(name)
	}
	if why := cmp.Or(s.Why[name], elsewhere()[name]); why != "" && (within == "" || s.Why[name] == "") {
		return why
	}
	plain := strings.TrimLeft(name, "$")
	if steps := s.steps["steps"]; steps != nil {
		if problem, _ := steps.Problem(plain); problem == "" {
			return "a step is steps." + plain
		}
	}
	if inputs, ok := s.names["inputs"]; ok && inputs.TypeData != nil {
		if _, isInput := inputs.Fields[plain]; isInput {
			return "an input is inputs." + plain
		}
	}
	switch {
	case plain != name && s.Has(plain):
		return tree.DidYouMean(name, []string{plain})
	case plain != name:
		return "a variable of the environment is env." + plain
	}
	known := s.Data()
	if called {
		known = slices.DeleteFunc(slices.AppendSeq(s.known(), maps.Keys(s.grammar.builtins)), func(name string) bool { return slices.Contains(known, name) })
	}
	if near := nearest.Of(name, known); near != "" {
		return tree.DidYouMean(name, []string{near})
	}
	if within != "" {
		return within
	}
	why := s.Why[nearest.Of(name, slices.Sorted(maps.Keys(s.Why)))]
	if why = cmp.Or(why, elsewhere()[nearest.Within(len(name)/5, name, slices.Sorted(maps.Keys(elsewhere())))]); why != "" {
		return why
	}
	if called {
		return "flow functions lists those that there are"
	}
	return "here are " + strings.Join(s.Data(), ", ") + `; a text stands in quotes: "` + tree.Clip(name, 40) + `"`
}

// statusHint is the hint for a status that is written as a name.
func statusHint(status string) string {
	hint := `a status is a text, in quotes: "` + status + `"`
	switch status {
	case "failed":
		hint += "; whether a step before failed is failure()"
	case "succeeded":
		hint += "; whether all before succeeded is success()"
	}
	return hint
}

// foreignNames has names of other languages in each line, and behind = the hint for them.
//
//go:embed foreign_names.txt
var foreignNames string

// elsewhere are the hints for names of other languages, those of functions among them.
var elsewhere = sync.OnceValue(func() map[string]string { return nearest.Table(foreignNames) })

// Data lists the names that stand for data, sorted.
func (s *Scope) Data() []string {
	return slices.DeleteFunc(s.known(), func(name string) bool { return s.names[name].Kind == reflect.Func })
}
