package workflows

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// compileData is compileValue for data of any type, where the type does not show that the
// marks of an expression were forgotten.
func (p *parser) compileData(v *Value, s *expression.Scope) types.Type {
	t := p.compileValue(v, s)
	p.warnUnmarked(v, s)
	return t
}

// warnUnmarked warns of texts that would be valid expressions about an input or a step,
// but lack the marks.
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
	if v.template != nil {
		p.warnOtherMarks(v.template, s, false)
	}
	text, isText := v.literal.(string)
	if !isText || v.template != nil || v.broken || v.node.Kind != tree.KindString {
		return
	}
	if !isUnmarked(strings.TrimSpace(text), s) {
		p.warnOtherMarks(&Template{node: v.node, parts: []part{{text: text}}}, s, false)
		return
	}
	p.Warnf(v.node, diagnostic.CodeExpression, notMarked).Hint = marked(text)
}

// marked is the hint for an expression that lacks its marks, or has those of others.
func marked(text string) string {
	return "an expression stands in marks: ${{ " + tree.Clip(strings.Trim(text, "${} \n"), 40) + " }}"
}

const notMarked = "this is a text, and no expression"

// isUnmarked reports whether a text is a valid expression about some step or input.
func isUnmarked(text string, s *expression.Scope) bool {
	const longest = 200
	if len(text) > longest || !strings.Contains(text, "steps.") && !strings.Contains(text, "inputs.") && !strings.HasPrefix(text, "item.") {
		return false
	}
	return expression.IsExpression(text, s)
}

// otherMarks matches expressions as other programs mark them: {{ x }}, ${x}, $x.y.
var otherMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$?\{\{ *([^{}]+?) *\}\}|\$?\{ *((?:inputs|steps)\.[^{}]+?|[a-z_][\w.]*) *\}|\$([a-z]\w*(?:\.\w+|\[\d+\])*)`)
})

// warnOtherMarks warns of text in a template, which may be nil, that looks like an expression
// between the marks of another program. In a script $x is a variable of the shell, whose names
// have no dots.
func (p *parser) warnOtherMarks(t *Template, s *expression.Scope, isScript bool) {
	if t == nil {
		return
	}
	offset := 0 // of the part in the text
	for _, part := range t.parts {
		if part.expr != nil {
			offset = part.expr.Offset + len(part.expr.Source) + len(expression.CloseMark)
			continue
		}
		if strings.Contains(part.text, expression.OpenMark) {
			return // marks that stand for themselves: this text is about them
		}
		for _, at := range otherMarks().FindAllStringIndex(part.text, -1) {
			text := part.text[at[0]:at[1]]
			source, isMeant := meantMark(text, s)
			if !isMeant || isScript && text[0] == '$' && !(text[1] == '{' && strings.Contains(text, ".")) {
				continue
			}
			d := p.ErrorWithin(t.node, offset+at[0], utf8.RuneCountInString(text), diagnostic.CodeExpression, notMarked)
			d.Severity, d.Hint = SeverityWarning, marked(source)
		}
	}
}

// meantMark returns the source between the marks of another program, as it is written here,
// and whether it is meant as an expression: whether it is about an input, a step or an element.
func meantMark(text string, s *expression.Scope) (source string, isMeant bool) {
	source = strings.Trim(text, "${} ")
	if input := "inputs." + strings.TrimLeft(source, "."); strings.Contains(text, "{") && isUnmarked(input, s) {
		return input, true
	}
	root, _, isField := strings.Cut(source, ".")
	switch {
	case slices.Contains([]string{"inputs", "steps", "env"}, root):
		return source, isField
	case slices.Contains([]string{"run", "workflow", "previous"}, root):
		return source, false
	}
	return source, slices.Contains(s.Data(), root) // the element of a foreach
}
