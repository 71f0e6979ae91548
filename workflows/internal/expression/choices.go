package expression

import (
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"

	"github.com/a-seed-11b9befa/flow/internal/tree"
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

// A never is a comparison of a value with a text that it can't have.
type never struct {
	at      *ast.StringNode
	value   string
	choices []string
}

// neversIn finds the nevers of an expression.
func (s *Scope) neversIn(root ast.Node) (found []never) {
	compare := func(side, with ast.Node) {
		text, isText := with.(*ast.StringNode)
		if !isText || text.Value == "" {
			return
		}
		if choices := s.choicesOf(side); choices != nil && !slices.Contains(choices, text.Value) {
			found = append(found, never{text, tree.Clip(side.String(), 60), choices})
		}
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

// choicesOf returns the values that a part of an expression can have: of a step's status
// and stop_reason, of a question with choices, of a JSON Schema with an enum; nil for any
// other part.
func (s *Scope) choicesOf(n ast.Node) []string {
	if member, isMember := n.(*ast.MemberNode); isMember {
		property, _ := member.Property.(*ast.StringNode)
		if property != nil && IsStep(member.Node.Nature()) {
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

// IsStep reports whether a type is that of a step, or of an element of one.
func IsStep(of *nature.Nature) bool {
	if of.TypeData == nil {
		return false
	}
	_, isStep := of.Fields["stop_reason"]
	return isStep
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
