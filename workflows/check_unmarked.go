package workflows

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// compileData is compileValue for data of any type, where the type does not show that the
// marks of an expression were forgotten.
func (p *parser) compileData(v *Value, s *expression.Scope) types.Type {
	t := p.compileValue(v, s)
	p.warnUnmarked(v, s)
	return t
}

// warnUnmarked warns of texts in data that lack the marks of an expression, or have others.
func (p *parser) warnUnmarked(v *Value, s *expression.Scope) {
	if v == nil {
		return
	}
	for _, part := range v.parts() {
		p.warnUnmarked(part, s)
	}
	text, isText := v.literal.(string)
	switch {
	case v.template != nil:
		p.warnOtherMarks(v.template, s, false)
	case !isText || v.broken:
	case isUnmarked(text, s):
		p.Warnf(v.node, diagnostic.CodeExpression, notMarked).Hint = marked(text)
	default:
		p.warnOtherMarks(&Template{node: v.node, parts: []part{{text: text}}}, s, false)
	}
}

const notMarked = "this is a text, and no expression"

// marked is the hint for an expression that lacks its marks, or has those of others.
func marked(text string) string {
	return "an expression stands in marks: ${{ " + tree.Clip(strings.Trim(text, "${} \n"), 40) + " }}"
}

// isUnmarked reports whether a text is the name of an input, a step or an element, or of a field of one.
func isUnmarked(text string, s *expression.Scope) bool {
	text = strings.TrimSpace(text)
	return strings.Contains(text, ".") && !strings.ContainsAny(text, " \n/") && s.Names(text)
}

// otherMarks matches what is between the marks of other programs: {{ x }}, ${x}, $x.y.
var otherMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$?\{\{[^{}]*\}\}|\$?\{ *[\w.\[\]]+ *\}|\$[a-z]\w*(?:\.\w+|\[\d+\])*`)
})

// warnOtherMarks warns of text in a template, which may be nil, that names an input, a step or an element
// between the marks of another program. In a script $x is a variable of the shell, whose names have no dots.
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
			if isShell := text[0] == '$' && !(text[1] == '{' && strings.Contains(text, ".")); !s.Names(strings.Trim(text, "${} ")) || isScript && isShell {
				continue
			}
			d := p.ErrorWithin(t.node, offset+at[0], utf8.RuneCountInString(text), diagnostic.CodeExpression, notMarked)
			d.Severity, d.Hint = SeverityWarning, marked(text)
		}
	}
}
