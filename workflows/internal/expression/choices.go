package expression

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

func stepStatuses() []string {
	return []string{"succeeded", "failed", "skipped", "stopped", "cancelled"}
}

// StopReasons returns the values of a step's stop_reason.
func StopReasons() []string {
	return []string{
		"completed", "condition", "tool", "max_turns", "max_rounds", "max_tool_calls", "max_tokens", "max_cost", "timeout", "repeated_calls",
		"output_limit", "content_filter", "invalid_output", "check_failed", "denied", "budget", "rate_limited", "cancelled", "error",
	}
}

// nevers finds comparisons with a text that a value can't have.
func (s *Scope) nevers(root ast.Node) (found []misfit) {
	compare := func(side, with ast.Node) {
		text, isText := with.(*ast.StringNode)
		if !isText || text.Value == "" {
			return
		}
		choices := s.choicesOf(side)
		if choices == nil || slices.Contains(choices, text.Value) {
			return
		}
		hint := "one of " + tree.Quoted(choices)
		if meant := cmp.Or(foreignStatuses[text.Value], text.Value); nearest.Of(meant, choices) != "" {
			hint = tree.DidYouMean(meant, choices)
		}
		problem := fmt.Sprintf("%s is never %q", tree.Clip(side.String(), 60), text.Value)
		found = append(found, misfit{at: text, length: len(text.Value) + 2, problem: problem, hint: hint})
	}
	walk(root, func(n ast.Node) {
		comparison, isBinary := n.(*ast.BinaryNode)
		if !isBinary {
			return
		}
		list, isList := comparison.Right.(*ast.ArrayNode)
		switch {
		case comparison.Operator == "==" || comparison.Operator == "!=":
			compare(comparison.Left, comparison.Right)
			compare(comparison.Right, comparison.Left)
		case comparison.Operator == "in" && isList:
			for _, element := range list.Nodes {
				compare(comparison.Left, element)
			}
		}
	})
	return found
}

// foreignStatuses maps statuses of other tools to those of steps.
var foreignStatuses = map[string]string{
	"success": "succeeded", "ok": "succeeded", "passed": "succeeded", "completed": "succeeded", "failure": "failed", "error": "failed", "canceled": "cancelled",
}

// choicesOf returns the values that a part of an expression can have: of a step's status
// and stop_reason, of a question with choices, of a JSON Schema with an enum; nil for any
// other part.
func (s *Scope) choicesOf(n ast.Node) []string {
	if member, isMember := n.(*ast.MemberNode); isMember {
		property, _ := member.Property.(*ast.StringNode)
		if property != nil && isStepType(member.Node) {
			switch property.Value {
			case "status":
				return stepStatuses()
			case "stop_reason":
				return StopReasons()
			}
		}
	}
	path := pathOf(n)
	switch {
	case len(path) < 2:
		return nil
	case s.steps[path[0]] != nil:
		return s.steps[path[0]].Choices(path[1], path[2:])
	case s.Choices != nil:
		return s.Choices(path)
	}
	return nil
}

// NeedsStatus returns the id of a step and the status that it must have had where the expression
// is true; "" if it names none.
func (e *Expression) NeedsStatus() (id, status string) {
	if e.tree == nil {
		return "", ""
	}
	return needsStatus(e.tree.Node)
}

func needsStatus(n ast.Node) (id, status string) {
	both, isBinary := n.(*ast.BinaryNode)
	if !isBinary {
		return "", ""
	}
	switch both.Operator {
	case "and", "&&":
		if id, status = needsStatus(both.Left); id == "" {
			id, status = needsStatus(both.Right)
		}
	case "==":
		text, isText := both.Right.(*ast.StringNode)
		if path := pathOf(both.Left); isText && len(path) == 3 && path[0] == "steps" && path[2] == "status" {
			return path[1], text.Value
		}
	}
	return id, status
}

// isStepType reports whether a part of an expression is a step, or an element of one.
func isStepType(n ast.Node) bool {
	of := n.Nature()
	if of.TypeData == nil {
		return false
	}
	_, isStep := of.Fields["stop_reason"]
	return isStep
}

// StepRecord returns the source of an expression whose value is all that is known of a step, or
// of an element of one; "" for any other.
func (e *Expression) StepRecord() string {
	if e.program == nil || !isStepType(e.tree.Node) {
		return ""
	}
	return e.tree.Node.String()
}

// pathOf returns the names in a.b.c; nil for any other expression.
func pathOf(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return []string{n.Value}
	case *ast.ChainNode:
		return pathOf(n.Node)
	case *ast.MemberNode:
		if property, isName := n.Property.(*ast.StringNode); isName {
			if path := pathOf(n.Node); path != nil {
				return append(path, property.Value)
			}
		}
	}
	return nil
}

// SchemaChoices returns the texts in the enum or const of a JSON Schema for the field at a
// path; nil where it has neither.
func SchemaChoices(schema any, path []string) []string {
	keywords, _ := schema.(map[string]any)
	for _, name := range path {
		properties, _ := keywords["properties"].(map[string]any)
		keywords, _ = properties[name].(map[string]any)
	}
	values, _ := keywords["enum"].([]any)
	if constant, given := keywords["const"]; given {
		values = []any{constant}
	}
	var texts []string
	for _, value := range values {
		if text, isText := value.(string); isText {
			texts = append(texts, text)
		}
	}
	return texts
}
