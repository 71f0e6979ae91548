package expression

import (
	"cmp"
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
		if hint := contextHint(e.Source[byteOffset(e.Source, err.From):]); hint != "" {
			d.Hint = hint
		} else if within, isField := predicateHint(e, err.From, name); isField {
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
	if s.steps != nil {
		if problem, _ := s.steps.Problem(plain); problem == "" {
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

// noStatements is the hint for what templates of other programs have.
const noStatements = `there are no statements; one of two texts is condition ? "this" : "that", and a list in a text join(map(list, "- " + #), "\n")`

// elsewhere are the hints for names of other languages.
var elsewhere = sync.OnceValue(func() map[string]string {
	hints := nearest.Meanings(foreignNames...)
	for word, function := range foreignFunctions() {
		hints[word] = "it is written " + function + "(…)"
	}
	return hints
})

// foreignNames are names of other languages, other than of functions, each behind the hint for it.
var foreignNames = []string{
	"it is written failure()", "failed", "it is written success()", "succeeded",
	`that a step was cancelled is steps.<id>.status == "cancelled"`, "cancelled",
	"a part of a text is text[0:3]", "substring substr slice",
	`how a step ended is steps.<id>.status == "succeeded"`, "done complete completed passed", "it is written not", "NOT", "it is written true", "True TRUE yes Yes on", "it is written false", "False FALSE no No off", "it is written nil", "null None undefined Null",
	`a secret is read by env.NAME: name it under the file's "secrets"`, "secrets", "values given by the caller are inputs", "params parameters", "what the file gives is env.NAME, and what the caller gives inputs.NAME", "vars variables",
	"a variable of the environment is env.NAME", "process os environ ENV getenv Env", "a step that has ended is steps.<id>: steps.<id>.text, .output, .status", "needs jobs tasks outputs",
	"the element of a foreach is item", "matrix loop each",
	`what GitHub says of a job is in variables: name GITHUB_SHA, say, under "env", and read env.GITHUB_SHA`, "github",
	"flow has inputs, env, steps, run and workflow; in if, success() and failure() say how the steps before ended", "runner context state ctx job strategy",
	`a default is written ??, as in env.NAME ?? "x"`, "default coalesce",
	"the numbers from 1 to 3 are 1..3", "range seq",
	"expressions don't read the clock; a command does: run: date", "now today Date datetime time", "hash(file(path)) is the hash of a file", "hashFiles",
	"an expression has the same value each time; a command gives another: run: uuidgen", "random uuid rand Random",
	noStatements, "end endif endfor else elif for while",
}

// Data lists the names that stand for data, sorted.
func (s *Scope) Data() []string {
	return slices.DeleteFunc(s.known(), func(name string) bool { return s.names[name].Kind == reflect.Func })
}
