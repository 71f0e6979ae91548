package workflows

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// templateText is a string that may contain expressions.
func templateText() format.Shape[*Template] {
	return format.Shape[*Template]{
		Read: func(r *format.Reader, n *tree.Node) (*Template, bool) {
			if _, ok := format.ScalarText(r, n); !ok {
				return nil, false
			}
			return parserOf(r).template(n), true
		},
		Schema: format.TextSchema,
	}
}

// pathText is a template for a path, without the line break at the end of a block.
func pathText() format.Shape[*Template] {
	return format.Mapped(templateText(), (*Template).withoutEnd)
}

// anything is data in which every string may contain expressions.
func anything() format.Shape[*Value] {
	return format.Shape[*Value]{
		Read:   func(r *format.Reader, n *tree.Node) (*Value, bool) { return parserOf(r).anyValue(n), true },
		Schema: format.Fixed(map[string]any{}),
	}
}

// bareExpression is an expression that is true or false.
func bareExpression() format.Shape[*Condition] {
	return format.Shape[*Condition]{
		Read: func(r *format.Reader, n *tree.Node) (*Condition, bool) {
			c := parserOf(r).condition(n)
			return c, c != nil
		},
		Schema: format.Fixed(map[string]any{"type": []any{"string", "boolean"}}),
	}
}

// noExpressionIn warns of expressions in the texts of data that is taken as it stands.
func (p *parser) noExpressionIn(n *tree.Node) {
	if n.Kind == tree.KindString && strings.Contains(n.Text, expression.OpenMark) && !p.ReportedAt(n) {
		p.Warnf(n, diagnostic.CodeExpression, "this is a text as it stands: no expression is evaluated in it")
	}
	for _, item := range n.Items {
		p.noExpressionIn(item)
	}
	for _, e := range n.Entries {
		p.noExpressionIn(e.Value)
	}
}
