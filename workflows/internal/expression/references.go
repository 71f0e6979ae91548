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

// readSteps returns env with the steps that the expression names in place of a
// [StepReader].
func (e *Expression) readSteps(env Env) (Env, error) {
	read, ok := env["steps"].(StepReader)
	if !ok {
		return env, nil
	}
	seen := make(map[string]any, len(e.Steps))
	for _, r := range e.Steps {
		step, err := read(r.ID, r.Field)
		if err != nil {
			return nil, fmt.Errorf("steps.%s: %w", r.ID, err)
		}
		seen[r.ID] = mergeFields(seen[r.ID], step)
	}
	env = maps.Clone(env)
	env["steps"] = seen
	return env, nil
}

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

// A StepReference is one steps.<id> in an expression.
type StepReference struct {
	ID string
	at ast.Node // where the id stands

	Field   string   // that the expression uses, or ""
	fieldAt ast.Node // where it stands
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

// stepReferences lists the steps that an expression refers to.
func stepReferences(root ast.Node) []StepReference {
	var all []StepReference
	fields := map[ast.Node]*ast.StringNode{} // by the id's node
	walk(root, func(n ast.Node) {
		member, isMember := n.(*ast.MemberNode)
		if !isMember {
			return
		}
		property, isName := member.Property.(*ast.StringNode)
		if !isName {
			return
		}
		if isIdentifier(member.Node, "steps") {
			all = append(all, StepReference{ID: property.Value, at: member.Property})
			return
		}
		if inner, isStep := member.Node.(*ast.MemberNode); isStep && isIdentifier(inner.Node, "steps") {
			fields[inner.Property] = property
		}
	})
	for i := range all {
		if f := fields[all[i].at]; f != nil {
			all[i].Field, all[i].fieldAt = f.Value, f
		}
	}
	return all
}

// bareSteps returns the places where steps is used other than as steps.<id>.
func bareSteps(root ast.Node) []ast.Node {
	var uses, named []ast.Node
	walk(root, func(n ast.Node) {
		if isIdentifier(n, "steps") {
			uses = append(uses, n)
		}
		if member, isMember := n.(*ast.MemberNode); isMember && isIdentifier(member.Node, "steps") {
			if _, isName := member.Property.(*ast.StringNode); isName {
				named = append(named, member.Node)
			}
		}
	})
	return slices.DeleteFunc(uses, func(n ast.Node) bool { return slices.Contains(named, n) })
}

// Variables lists the variables of env that a compiled expression names; all reports
// whether it may see any of them.
func (e *Expression) Variables() (names []string, all bool) { return membersOf(e.tree.Node, "env") }

// Names lists the names that a compiled expression refers to, those of functions among
// them.
func (e *Expression) Names() []string { return e.names }

// membersOf lists the fields of a map that an expression names; all reports whether it
// also uses the map in other ways.
func membersOf(root ast.Node, of string) (fields []string, all bool) {
	uses := 0
	walk(root, func(n ast.Node) {
		if isIdentifier(n, of) {
			uses++
		}
		member, isMember := n.(*ast.MemberNode)
		if !isMember || !isIdentifier(member.Node, of) {
			return
		}
		if property, isName := member.Property.(*ast.StringNode); isName {
			fields = append(fields, property.Value)
		}
	})
	return fields, uses > len(fields)
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
