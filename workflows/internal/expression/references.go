package expression

import (
	"fmt"
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// A StepReader returns what an expression sees of a step: a map by field, or nil where
// there is no such step. field is the one that the expression uses, "" for all; others may
// be left out. As the value of steps in an [Env] it is called for the steps that the
// expression names, and for no others.
type StepReader func(id, field string) (any, error)

// withSteps returns env with only those steps that the expression names.
func (e *Expression) withSteps(env Env) (Env, error) {
	if len(e.Steps) == 0 {
		return env, nil
	}
	read := maps.Clone(env)
	for _, r := range e.Steps {
		read[r.Of] = map[string]any{}
	}
	return read, e.readSteps(env, read)
}

// readSteps adds the steps in env that the expression names to maps of steps, by what they are called.
func (e *Expression) readSteps(env Env, to map[string]any) error {
	for _, r := range e.Steps {
		var step any
		var err error
		switch steps := env[r.Of].(type) {
		case StepReader:
			step, err = steps(r.ID, r.Field)
		case map[string]any:
			step = steps[r.ID]
		}
		if err != nil {
			return fmt.Errorf("%s.%s: %w", r.Of, r.ID, err)
		}
		seen, _ := to[r.Of].(map[string]any)
		if seen == nil {
			seen = map[string]any{}
			to[r.Of] = seen
		}
		seen[r.ID] = mergeFields(seen[r.ID], step)
	}
	return nil
}

// stepNames are the names of maps of steps: those that have ended, and those of the round before.
var stepNames = []string{"steps", "previous"}

// mergeFields merges what was read of a step for two of its fields.
func mergeFields(a, b any) any {
	first, ok := a.(map[string]any)
	second, also := b.(map[string]any)
	if !ok || !also {
		return b
	}
	both := maps.Clone(first)
	maps.Copy(both, second)
	return both
}

// A StepReference is one steps.<id>, or previous.<id>, in an expression.
type StepReference struct {
	Of string // steps or previous
	ID string
	at ast.Node // where the id stands

	Field   string   // that the expression uses, or ""
	fieldAt ast.Node // where it stands

	defaulted bool // ?? gives a value where there is none
}

type walkFunc func(ast.Node)

func (f walkFunc) Visit(n *ast.Node) { f(*n) }

// walk visits the nodes of a tree, each after those in it.
func walk(root ast.Node, visit func(ast.Node)) { ast.Walk(&root, walkFunc(visit)) }

// contains reports whether a tree has a node for which a function returns true.
func contains(root ast.Node, wanted func(ast.Node) bool) bool {
	found := false
	walk(root, func(n ast.Node) { found = found || wanted(n) })
	return found
}

// nodesOf returns the nodes of a type in a tree.
func nodesOf[T ast.Node](root ast.Node) (all []T) {
	walk(root, func(n ast.Node) {
		if of, ok := n.(T); ok {
			all = append(all, of)
		}
	})
	return all
}

// is reports whether a node is of a type.
func is[T ast.Node](n ast.Node) bool {
	_, ok := n.(T)
	return ok
}

// membersOf returns the uses of a name in an expression as a map: the fields of it that the
// expression names, by the nodes that name them, and the places where it stands in any other way.
func membersOf(root ast.Node, of string) (fields []*ast.StringNode, bare []ast.Node) {
	named := map[ast.Node]bool{}
	walk(root, func(n ast.Node) {
		if isIdentifier(n, of) {
			bare = append(bare, n)
		}
		if member, isMember := n.(*ast.MemberNode); isMember && isIdentifier(member.Node, of) {
			if field, isName := member.Property.(*ast.StringNode); isName {
				fields, named[member.Node] = append(fields, field), true
			}
		}
	})
	return fields, slices.DeleteFunc(bare, func(n ast.Node) bool { return named[n] })
}

// stepReferences lists the steps that an expression refers to, of those that the scope has.
func (s *Scope) stepReferences(root ast.Node) (all []StepReference) {
	for _, name := range stepNames {
		if s.steps[name] != nil {
			all = append(all, referencesTo(root, name)...)
		}
	}
	return all
}

func referencesTo(root ast.Node, name string) []StepReference {
	ids, _ := membersOf(root, name)
	fields := map[ast.Node]*ast.StringNode{} // by the id's node
	for _, member := range nodesOf[*ast.MemberNode](root) {
		if inner, isMember := member.Node.(*ast.MemberNode); isMember {
			fields[inner.Property], _ = member.Property.(*ast.StringNode)
		}
	}
	all := make([]StepReference, len(ids))
	for i, id := range ids {
		all[i] = StepReference{Of: name, ID: id.Value, at: id, defaulted: isDefaulted(root, id)}
		if field := fields[id]; field != nil {
			all[i].Field, all[i].fieldAt = field.Value, field
		}
	}
	return all
}

// isDefaulted reports whether a node is in what stands before a ??.
func isDefaulted(root, of ast.Node) bool {
	return slices.ContainsFunc(nodesOf[*ast.BinaryNode](root), func(n *ast.BinaryNode) bool {
		return n.Operator == "??" && contains(n.Left, func(n ast.Node) bool { return n == of })
	})
}

// Variables lists the variables of env that a compiled expression names; all reports
// whether it may see any of them.
func (e *Expression) Variables() (names []string, all bool) { return variablesIn(e.tree.Node) }

func variablesIn(root ast.Node) (names []string, all bool) {
	fields, bare := membersOf(root, "env")
	for _, field := range fields {
		names = append(names, field.Value)
	}
	return names, len(bare) > 0
}

// Names lists the names that a compiled expression refers to, those of functions among
// them.
func (e *Expression) Names() []string { return e.names }

// Texts returns the texts that stand in a compiled expression.
func (e *Expression) Texts() (all []string) {
	for _, text := range nodesOf[*ast.StringNode](e.tree.Node) {
		all = append(all, text.Value)
	}
	return all
}

// isIdentifier reports whether a node is a given name.
func isIdentifier(n ast.Node, name string) bool {
	identifier, ok := n.(*ast.IdentifierNode)
	return ok && identifier.Value == name
}

// Calls reports whether an expression calls one of the functions.
func (e *Expression) Calls(names ...string) bool {
	return contains(e.tree.Node, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallNode)
		return isCall && slices.ContainsFunc(names, func(name string) bool { return isIdentifier(call.Callee, name) })
	})
}
