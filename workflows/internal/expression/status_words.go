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

// stopReasons are the words that a step's stop_reason can be.
func stopReasons() []string {
	return []string{
		"completed", "condition", "tool", "max_turns", "max_rounds", "max_tool_calls", "max_tokens", "max_cost", "timeout", "repeated_calls",
		"output_limit", "content_filter", "invalid_output", "check_failed", "denied", "budget", "rate_limited", "cancelled", "error",
	}
}

// checkWords reports comparisons of a status or stop_reason with a word that it
// can't be: such a condition never holds.
func (r *Reader) checkWords(e *Expression) {
	root := e.tree.Node
	ast.Walk(&root, walkFunc(func(n ast.Node) {
		comparison, isBinary := n.(*ast.BinaryNode)
		if !isBinary || comparison.Operator != "==" && comparison.Operator != "!=" {
			return
		}
		words := wordsOf(comparison.Left)
		literal, isText := comparison.Right.(*ast.StringNode)
		if !isText {
			words = wordsOf(comparison.Right)
			literal, isText = comparison.Left.(*ast.StringNode)
		}
		if !isText || words == nil || literal.Value == "" || slices.Contains(words, literal.Value) {
			return
		}
		offset := e.Offset + byteOffset(e.Source, literal.Location().From)
		d := r.report.ErrorWithin(e.Node, offset, len(literal.Value)+2, diagnostic.CodeExpression, "it is never %q", literal.Value)
		d.Hint = "one of " + tree.Quoted(words)
		if near := nearest.Of(literal.Value, words); near != "" {
			d.Hint = tree.DidYouMean(literal.Value, words)
		}
	}))
}

// wordsOf gives the words that a step's status or stop_reason can be; nil for
// any other part of an expression.
func wordsOf(n ast.Node) []string {
	member, isMember := n.(*ast.MemberNode)
	if !isMember {
		return nil
	}
	of := member.Node.Nature()
	if of.TypeData == nil || of.Fields == nil {
		return nil
	}
	if _, isStep := of.Fields["stop_reason"]; !isStep {
		return nil
	}
	switch property, _ := member.Property.(*ast.StringNode); {
	case property == nil:
		return nil
	case property.Value == "status":
		return stepStatuses()
	case property.Value == "stop_reason":
		return stopReasons()
	}
	return nil
}
