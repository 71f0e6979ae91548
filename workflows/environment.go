package workflows

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/types"
)

// Env has the values of the names that an expression may use. Values are plain
// data: nil, bool, int, float64, json.Number, string, []any and map[string]any;
// a value with Go methods would make them callable. It is only read.
//
// Which names an expression has, and what they hold:
//
//	everywhere         inputs, env: maps by name; a variable that is not set is nil
//	                   run: {id, dir}   workflow: {name, dir}
//	                   file(path), glob(pattern): func(string) (string, error)
//	                   and func(string) ([]string, error)
//	in steps, outputs  steps: by id, each with status, text, output, error, turns,
//	                   usage, stop_reason, and for run exit_code, for foreach results;
//	                   of a foreach output is the list of its elements' outputs;
//	                   all of them in a map, or a [StepReader]
//	in a group         also round, from 1, when it has until
//	in a foreach step  item (or the name in as), index; not in if and foreach itself
//	if                 also success(), failure(), always(): func() bool
//	checks             also output, text: the step's result so far
//	stop.when          turn, text, finished, usage, cost_usd, and
//	                   calls(name): func(...string) []any, of maps with name,
//	                   status, turn, arguments
//	custom tools       args: the call's arguments
//
// What the file gives as defaults for its steps (system, instructions,
// stop.when) sees only what is everywhere, and stop.when its own names. Every
// expression also has toJSON, fromJSON, hash and format.
type Env map[string]any

// workflowFunctions are what the evaluator brings to the expressions of a
// workflow; here they only tell their types.
func workflowFunctions() map[string]any {
	return map[string]any{
		"file": func(string) (string, error) { return "", nil },
		"glob": func(string) ([]string, error) { return nil, nil },
	}
}

// A scope is what one expression can name.
type scope struct {
	grammar *grammar
	names   map[string]nature.Nature // functions and plain names
	steps   *stepScope               // nil: steps is not among the names
	why     map[string]string        // hints for names that other expressions have

	stepFields *nature.TypeData // of steps, among the names
}

// newScope gives a scope with the names that are everywhere.
func newScope(g *grammar, names map[string]types.Type) *scope {
	s := &scope{grammar: g, names: maps.Clone(g.functions)}
	for name, t := range names {
		s.names[name] = t.Nature()
	}
	return s
}

// with gives a scope that has more names.
func (s *scope) with(names map[string]types.Type) *scope {
	if len(names) == 0 {
		return s
	}
	wider := *s
	wider.names = maps.Clone(s.names)
	for name, t := range names {
		wider.names[name] = t.Nature()
	}
	return &wider
}

// withSteps gives a scope that also sees steps.
func (s *scope) withSteps(steps *stepScope) *scope {
	wider := *s
	wider.steps = steps
	wider.names = maps.Clone(s.names)
	fields := mapNature(nil)
	wider.names["steps"], wider.stepFields = fields, fields.TypeData
	return &wider
}

// nature gives the types of the names for one expression. Of the steps it has
// those that the expression refers to, or a long file would take long to check.
// It holds until it is asked for another expression.
func (s *scope) nature(e *expression) nature.Nature {
	if s.steps != nil {
		s.stepFields.Fields = map[string]nature.Nature{}
		for _, r := range stepReferences(e.tree.Node) {
			s.stepFields.Fields[r.id] = s.steps.nature(r.id)
		}
	}
	return mapNature(s.names)
}

// known lists the names, sorted.
func (s *scope) known() []string {
	names := slices.Collect(maps.Keys(s.names))
	names = slices.DeleteFunc(names, func(n string) bool { return n[len(n)-1] == '!' || n[0] < 'A' || n[0] == '+' })
	slices.Sort(names)
	return names
}

// Types of names that are the same in every workflow.

// runType is the type of run.
func runType() types.Type {
	return types.Map{"id": types.String, "dir": types.String}
}

// workflowType is the type of workflow.
func workflowType() types.Type {
	return types.Map{"name": types.String, "dir": types.String}
}

// usageType is the type of usage, with the names of run.json.
func usageType() types.Type {
	return types.Map{"input_tokens": types.Int, "output_tokens": types.Int, "cached_input_tokens": types.Int, "reasoning_tokens": types.Int}
}

// errorType is the type of a step's error. A step without one has nil, so
// expressions ask steps.x.error?.kind.
func errorType() types.Type {
	return types.Map{"kind": types.String, "message": types.String}
}

// statusNames are the functions that only `if` has.
func statusNames() map[string]types.Type {
	status := types.TypeOf(func() bool { return false })
	return map[string]types.Type{"success": status, "failure": status, "always": status}
}

// whenNames are the names of stop.when.
func whenNames() map[string]types.Type {
	return map[string]types.Type{
		"turn": types.Int, "text": types.String, "finished": types.Bool,
		"usage": usageType(), "cost_usd": types.Float64,
		"calls": types.TypeOf(func(...string) []any { return nil }),
	}
}
