package workflows

import (
	"regexp"
	"strings"
	"sync"

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
	if !isText || v.template != nil || v.broken || v.node.Kind != tree.KindString || !isUnmarked(strings.TrimSpace(text), s) {
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

// otherMarks are expressions as other programs mark them: {{ x }}, ${x}, {% for … %}.
var otherMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$?\{\{ *([^{}]+?) *\}\}|\$?\{ *((?:inputs|steps)\.[^{}]+?|[a-z_]\w*) *\}|\{%[-+]? *([^%]+?) *[-+]?%\}`)
})

// otherRoots are names that begin expressions here, or in other programs.
var otherRoots = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:inputs|steps|env|github)\.\w|item\b)`)
})

// warnOtherMarks warns of what is text in a template, and would be an expression
// about an input, a step or an element between the marks of another program.
func (p *parser) warnOtherMarks(t *Template, s *expression.Scope) {
	offset := 0 // of the part in the text
	for _, part := range t.parts {
		if part.expr != nil {
			offset = part.expr.Offset + len(part.expr.Source) + len(expression.CloseMark)
			continue
		}
		if strings.Contains(part.text, expression.OpenMark) {
			return // marks that stand for themselves: this text is about them
		}
		for _, at := range otherMarks().FindAllStringSubmatchIndex(part.text, -1) {
			p.warnOtherMark(t.node, offset+at[0], part.text[at[0]:at[1]], s)
		}
	}
}

// warnOtherMark warns of one place that looks as an expression does elsewhere.
func (p *parser) warnOtherMark(n *tree.Node, offset int, text string, s *expression.Scope) {
	source := strings.Trim(text, "${}%-+ ")
	if bare := strings.TrimLeft(source, "."); !strings.HasPrefix(text, "${") && isUnmarked("inputs."+bare, s) {
		source = "inputs." + bare
	}
	isStatement := strings.HasPrefix(text, "{%")
	switch {
	case strings.HasPrefix(text, "${") && !strings.HasPrefix(text, "${{") && !strings.Contains(text, "."):
		return // a variable of the shell
	case isStatement && !strings.Contains(source, "inputs.") && !strings.Contains(source, "steps."):
		return
	case strings.HasPrefix(text, "{{") && otherRoots().MatchString(source):
	case !isStatement && !isUnmarked(source, s) && !(s.Has("item") && (source == "item" || strings.HasPrefix(source, "item."))):
		return
	}
	d := p.ErrorWithin(n, offset, len(text), diagnostic.CodeExpression, "this is a text, and no expression")
	if d.Severity, d.Hint = SeverityWarning, "an expression stands in marks: ${{ "+tree.Clip(source, 40)+" }}"; !isStatement && !expression.IsExpression(source, s) {
		d.Hint = "expressions are written ${{ … }}"
	} else if isStatement {
		d.Hint = `there are no statements; an expression puts a list into a text: ${{ join(map(list, "- " + #), "\n") }}`
	}
}
