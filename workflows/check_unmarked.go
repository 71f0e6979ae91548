package workflows

import (
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// compileData is compileValue for data that is taken as it stands, where a
// forgotten mark is no mistake of types.
func (p *parser) compileData(v *Value, s *expression.Scope) types.Type {
	t := p.compileValue(v, s)
	p.warnUnmarked(v, s)
	return t
}

// warnUnmarked warns of texts that would be right expressions about an input or a
// step, and lack their marks.
func (p *parser) warnUnmarked(v *Value, s *expression.Scope) {
	if v == nil {
		return
	}
	for _, item := range v.items {
		p.warnUnmarked(item, s)
	}
	for _, key := range v.keys {
		p.warnUnmarked(v.values[key], s)
	}
	text, isText := v.literal.(string)
	if !isText || v.template != nil || v.node.Kind != tree.KindString || !isUnmarked(strings.TrimSpace(text), s) {
		return
	}
	p.Warnf(v.node, diagnostic.CodeExpression, "this is a text, and no expression").
		Hint = "an expression stands in marks: ${{ " + tree.Clip(strings.TrimSpace(text), 40) + " }}"
}

// isUnmarked reports whether a text is an expression whose names all exist, some
// step or input among them.
func isUnmarked(text string, s *expression.Scope) bool {
	const longest = 200
	if len(text) > longest || !strings.Contains(text, "steps.") && !strings.Contains(text, "inputs.") {
		return false
	}
	return expression.IsExpression(text, s)
}
