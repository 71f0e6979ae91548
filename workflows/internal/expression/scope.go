package expression

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/types"
)

// Env has the values of the names in an expression. Values are plain data: nil, bool, int,
// float64, json.Number, string, []any and map[string]any; of a value with Go methods these
// could be called. It is only read.
type Env map[string]any

// Steps are the steps that an expression may refer to.
type Steps interface {
	// Problem returns why a step can't be referred to; "" when it can.
	Problem(id string) (problem, hint string)
	// FieldProblem returns what is wrong with steps.<id>.<field>; "" for nothing.
	FieldProblem(id, field string) (problem, hint string)
	// Nature returns the type of a step; any for one that can't be referred to.
	Nature(id string) nature.Nature
	// Choices returns the values that a field of a step can have; nil for any.
	Choices(id string, path []string) []string
	// Refer records that an expression refers to a step without a problem.
	Refer(id string)
}

// A Scope has the names that one expression can use.
type Scope struct {
	grammar *Grammar
	names   map[string]nature.Nature // of functions and data
	steps   map[string]Steps         // those of steps, and of previous: the round before; nil: none is among the names

	// Choices returns the values that the field at a path, which does not begin with
	// steps, can have; nil for any. The path has two names or more.
	Choices func(path []string) []string

	stepFields map[string]*nature.TypeData // of steps and previous, among the names

	variables     []string               // the fields of env
	mayBeVariable func(name string) bool // reports whether env may have another field

	whose func(names, variables []string, all bool) Words // nil: unknown
}

// NewScope returns a scope with some names and the functions of the grammar.
func NewScope(g *Grammar, names map[string]types.Type) *Scope {
	s := &Scope{grammar: g, names: maps.Clone(g.functions)}
	for name, t := range names {
		s.names[name] = t.Nature()
	}
	return s
}

// With returns a scope with more names.
func (s *Scope) With(names map[string]types.Type) *Scope {
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

// WithVariables returns a scope whose env has these variables, and others that an
// expression uses if mayBe returns true for them. It knows who has a say in its names: whose is
// called with the names in an expression or a part of it, and with the variables of env among them;
// all is true where it may see all of these. It is not called for the elements of predicates and the
// names of let, which are foreign.
func (s *Scope) WithVariables(names []string, mayBe func(name string) bool, whose func(names, variables []string, all bool) Words) *Scope {
	wider := *s
	wider.variables, wider.mayBeVariable, wider.whose = names, mayBe, whose
	wider.names = extended(s.names, "env", texts(names))
	return &wider
}

// texts is the type of a map of strings with these keys.
func texts(names []string) nature.Nature {
	fields := types.Map{}
	for _, name := range names {
		fields[name] = types.String
	}
	return fields.Nature()
}

// WithSteps returns a scope that also has steps.
func (s *Scope) WithSteps(steps Steps) *Scope { return s.withSteps("steps", steps) }

// WithPrevious returns a scope that also has the steps of the round before, as previous.
func (s *Scope) WithPrevious(steps Steps) *Scope { return s.withSteps("previous", steps) }

func (s *Scope) withSteps(name string, steps Steps) *Scope {
	wider := *s
	fields := mapNature(nil)
	wider.names, wider.steps, wider.stepFields = extended(s.names, name, fields), extended(s.steps, name, steps), extended(s.stepFields, name, fields.TypeData)
	return &wider
}

// extended returns a copy of a map with one more entry.
func extended[V any](m map[string]V, name string, value V) map[string]V {
	wider := make(map[string]V, len(m)+1)
	maps.Copy(wider, m)
	wider[name] = value
	return wider
}

// nature returns the types of the names for one expression. It has only those steps that
// the expression refers to, or a long file would take long to check. It is valid until
// the next call.
func (s *Scope) nature(e *Expression) nature.Nature {
	for _, fields := range s.stepFields {
		fields.Fields = map[string]nature.Nature{}
	}
	for _, r := range s.stepReferences(e.tree.Node) {
		s.stepFields[r.Of].Fields[r.ID] = s.steps[r.Of].Nature(r.ID)
	}
	if s.mayBeVariable == nil {
		return mapNature(s.names)
	}
	named, _ := variablesIn(e.tree.Node)
	named = slices.DeleteFunc(named, func(name string) bool { return !s.mayBeVariable(name) })
	names := maps.Clone(s.names)
	names["env"] = texts(append(named, s.variables...))
	return mapNature(names)
}

// Has reports whether a name is taken.
func (s *Scope) Has(name string) bool {
	_, known := s.names[name]
	return known
}

// known lists the names, sorted.
func (s *Scope) known() []string {
	names := slices.Collect(maps.Keys(s.names))
	names = slices.DeleteFunc(names, func(n string) bool { return n[len(n)-1] == '!' || n[0] < 'A' || n[0] == '+' })
	slices.Sort(names)
	return names
}
