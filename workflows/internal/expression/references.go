package expression

import (
	"fmt"
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// A StepReader gives what an expression sees of a step: a map by field, or nil
// where there is no such step. field is the one that is asked for, "" for all:
// others may be left out. As the value of steps in an [Env] it is asked for the
// steps that an expression names, and for nothing else.
type StepReader func(id, field string) (any, error)

// readSteps gives env with what the expression asks of a reader of steps in its
// place.
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

// mergeFields puts together what was read of a step for two fields of it.
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

	Field   string   // what of the step is asked for, or ""
	fieldAt ast.Node // where it stands
}

// walkFunc makes a visitor of a function.
type walkFunc func(ast.Node)

// Visit calls the function.
func (f walkFunc) Visit(n *ast.Node) { f(*n) }

// stepReferences lists the steps that an expression refers to.
func stepReferences(root ast.Node) []StepReference {
	var all []StepReference
	fields := map[ast.Node]*ast.StringNode{} // by the id's node
	ast.Walk(&root, walkFunc(func(n ast.Node) {
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
	}))
	for i := range all {
		if f := fields[all[i].at]; f != nil {
			all[i].Field, all[i].fieldAt = f.Value, f
		}
	}
	return all
}

// bareSteps gives the places where steps is used otherwise than as steps.<id>.
func bareSteps(root ast.Node) []ast.Node {
	var uses, named []ast.Node
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		if isIdentifier(n, "steps") {
			uses = append(uses, n)
		}
		if member, isMember := n.(*ast.MemberNode); isMember && isIdentifier(member.Node, "steps") {
			if _, isName := member.Property.(*ast.StringNode); isName {
				named = append(named, member.Node)
			}
		}
	}))
	return slices.DeleteFunc(uses, func(n ast.Node) bool { return slices.Contains(named, n) })
}

// Variables lists the variables of env that an expression names, once it is compiled;
// all reports that it may see any of them.
func (e *Expression) Variables() (names []string, all bool) { return membersOf(e.tree.Node, "env") }

// Names lists the names that an expression refers to, those of functions among them,
// once it is compiled.
func (e *Expression) Names() []string { return e.names }

// membersOf lists the fields of a map that an expression names; all reports that it
// uses the map otherwise, too.
func membersOf(root ast.Node, of string) (fields []string, all bool) {
	uses := 0
	ast.Walk(&root, walkFunc(func(n ast.Node) {
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
	}))
	return fields, uses > len(fields)
}

// isIdentifier reports whether a node is a plain name.
func isIdentifier(n ast.Node, name string) bool {
	identifier, ok := n.(*ast.IdentifierNode)
	return ok && identifier.Value == name
}

// Calls reports whether an expression calls one of the functions.
func (e *Expression) Calls(names ...string) bool {
	found := false
	root := e.tree.Node
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		if call, isCall := n.(*ast.CallNode); isCall {
			if callee, named := call.Callee.(*ast.IdentifierNode); named && slices.Contains(names, callee.Value) {
				found = true
			}
		}
	}))
	return found
}
