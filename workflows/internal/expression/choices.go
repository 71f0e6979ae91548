package expression

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// stepStatuses are the words that a step's status can be.
func stepStatuses() []string {
	return []string{"succeeded", "failed", "skipped", "stopped", "cancelled"}
}

// StopReasons are the words that a step's stop_reason can be.
func StopReasons() []string {
	return []string{
		"completed", "condition", "tool", "max_turns", "max_rounds", "max_tool_calls", "max_tokens", "max_cost", "timeout", "repeated_calls",
		"output_limit", "content_filter", "invalid_output", "check_failed", "denied", "budget", "rate_limited", "cancelled", "error",
	}
}

// A never is a text that something is compared with, and that it can't be.
type never struct {
	side    ast.Node // what is compared with it
	text    *ast.StringNode
	choices []string
}

// nevers finds comparisons that never hold, or always.
func (s *Scope) nevers(root ast.Node) []never {
	var found []never
	compare := func(side, with ast.Node) {
		text, isText := with.(*ast.StringNode)
		if !isText || text.Value == "" {
			return
		}
		if choices := s.choicesOf(side); choices != nil && !slices.Contains(choices, text.Value) {
			found = append(found, never{side, text, choices})
		}
	}
	ast.Walk(&root, walkFunc(func(n ast.Node) {
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
	}))
	return found
}

// foreignStatuses are how other tools call what a step's status is here.
var foreignStatuses = map[string]string{
	"success": "succeeded", "ok": "succeeded", "passed": "succeeded", "completed": "succeeded", "failure": "failed", "error": "failed", "canceled": "cancelled",
}

// checkChoices reports comparisons with a text that a value can't be.
func (r *Reader) checkChoices(e *Expression) {
	for _, n := range e.nevers {
		offset := e.Offset + byteOffset(e.Source, n.text.Location().From)
		d := r.report.ErrorWithin(e.Node, offset, len(n.text.Value)+2, diagnostic.CodeExpression, "%s is never %q", tree.Clip(n.side.String(), 60), n.text.Value)
		d.Hint = "one of " + tree.Quoted(n.choices)
		if meant := foreignStatuses[n.text.Value]; slices.Contains(n.choices, meant) {
			d.Hint = tree.DidYouMean(meant, n.choices)
		} else if nearest.Of(n.text.Value, n.choices) != "" {
			d.Hint = tree.DidYouMean(n.text.Value, n.choices)
		}
	}
}

// choicesOf gives the texts that a part of an expression can be: a step's status or
// stop_reason, an answer that is chosen, what a JSON Schema lists. It gives nil for
// any other part.
func (s *Scope) choicesOf(n ast.Node) []string {
	if member, isMember := n.(*ast.MemberNode); isMember {
		property, _ := member.Property.(*ast.StringNode)
		of := member.Node.Nature()
		if property != nil && of.TypeData != nil {
			if _, isStep := of.Fields["stop_reason"]; isStep && property.Value == "status" {
				return stepStatuses()
			} else if isStep && property.Value == "stop_reason" {
				return StopReasons()
			}
		}
	}
	path := pathOf(n)
	switch {
	case len(path) < 2:
		return nil
	case path[0] == "steps" && s.steps != nil:
		return s.steps.Choices(path[1], path[2:])
	case s.Choices != nil:
		return s.Choices(path)
	}
	return nil
}

// pathOf gives the names of a field of a field; nil for what is more than that.
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

// SchemaChoices gives the texts that a JSON Schema lists for a field of its values; nil
// where it lists none.
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
