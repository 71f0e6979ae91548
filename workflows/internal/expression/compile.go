package expression

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// Compile compiles one expression, and reports its mistakes. One that is compiled already
// stays as it is.
func (r *Reader) Compile(e *Expression, s *Scope, want reflect.Kind) {
	if e.program != nil || e.tree == nil || r.report.Full() {
		return
	}
	if !r.checkReferences(e, s) {
		return
	}
	err := e.compile(s, want)
	if err == nil {
		for _, n := range e.nevers {
			r.report.ErrorWithin(e.Node, e.Offset+byteOffset(e.Source, n.at.Location().From), len(n.at.Value)+2, diagnostic.CodeExpression, "%s is never %q", n.value, n.at.Value).
				Hint = tree.DidYouMean(n.at.Value, n.choices)
		}
		return
	}
	var detailed *file.Error
	if errors.As(err, &detailed) {
		s.explain(e, r.mistake(e, err), detailed)
	} else {
		r.wrongResult(e)
	}
	r.cutOff(e.Node)
	e.tree = nil
}

// wrongResult reports a condition that is neither true nor false.
func (r *Reader) wrongResult(e *Expression) {
	result := e.tree.Node.Nature()
	d := r.report.ErrorWithin(e.Node, e.Offset, len(e.Source), diagnostic.CodeExpression, "the condition must be true or false, not %s", TypeName(result.String()))
	switch {
	case IsUnknown(result) || result.Kind == reflect.Interface:
		d.Message = "the condition may be something else than true or false"
		d.Hint = fmt.Sprintf("write %[1]s == true for a boolean, %[1]s == 0 for a number", e.tree.Node)
	case result.Kind == reflect.Func:
		d.Hint = fmt.Sprintf("call it: %s()", e.tree.Node)
	case IsStep(result):
		d.Hint = fmt.Sprintf("write %s.status == %q", e.tree.Node, stepStatuses()[0])
	default:
		d.Hint = compareHint
	}
}

// checkReferences reports steps that do not exist, or may not have ended when the
// expression is evaluated.
func (r *Reader) checkReferences(e *Expression, s *Scope) bool {
	ok := true
	report := func(at file.Location, length int, code, format string, args ...any) *diagnostic.Diagnostic {
		ok = false
		return r.report.ErrorWithin(e.Node, e.Offset+byteOffset(e.Source, at.From), length, code, format, args...)
	}
	for _, n := range s.bareSteps(e.tree.Node) {
		name := n.(*ast.IdentifierNode).Value
		report(n.Location(), len(name), diagnostic.CodeReference, "%s must be followed by the id of a step", name).Hint = "such as " + name + ".build.text"
	}
	for _, ref := range s.stepReferences(e.tree.Node) {
		steps := s.steps[ref.Of]
		if problem, hint := steps.Problem(ref.ID); problem != "" {
			report(ref.at.Location(), len(ref.ID), diagnostic.CodeReference, "%s", problem).Hint = hint
			continue
		}
		steps.Refer(ref.ID)
		if problem, hint := steps.FieldProblem(ref.ID, ref.Field); problem != "" {
			report(ref.fieldAt.Location(), len(ref.Field), diagnostic.CodeExpression, "%s", problem).Hint = hint
		}
	}
	return ok
}

// bareSteps returns the places where steps or previous stands without the id of a step.
func (s *Scope) bareSteps(root ast.Node) (all []ast.Node) {
	for _, name := range stepNames {
		if s.steps[name] != nil {
			_, bare := membersOf(root, name)
			all = append(all, bare...)
		}
	}
	return all
}
