package workflows

import (
	"reflect"
	"strings"

	"github.com/expr-lang/expr/types"
)

// compileData is compileValue for data that is taken as it stands, where a
// forgotten mark is no mistake of types.
func (p *parser) compileData(v *Value, s *scope) types.Type {
	t := p.compileValue(v, s)
	p.warnUnmarked(v, s)
	return t
}

// warnUnmarked warns of texts that would be right expressions about an input or a
// step, and lack their marks.
func (p *parser) warnUnmarked(v *Value, s *scope) {
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
	if !isText || v.template != nil || v.node.kind != kindString || !isUnmarked(strings.TrimSpace(text), s) {
		return
	}
	p.warnf(v.node, codeExpression, "this is a text, and no expression").
		Hint = "an expression stands in marks: ${{ " + clip(strings.TrimSpace(text), 40) + " }}"
}

// isUnmarked reports whether a text is an expression whose names all exist, some
// step or input among them.
func isUnmarked(text string, s *scope) bool {
	const longest = 200
	if len(text) > longest || !strings.Contains(text, "steps.") && !strings.Contains(text, "inputs.") {
		return false
	}
	tree, err := parseExpression(s.grammar, text)
	if err != nil {
		return false
	}
	e := &expression{source: text, tree: tree}
	for _, r := range stepReferences(tree.Node) {
		if s.steps == nil {
			return false
		}
		if scope, _ := s.steps.find(r.id); scope == nil {
			return false
		}
	}
	return e.compile(s, reflect.Invalid) == nil
}
