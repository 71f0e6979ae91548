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
		p.warnOtherMarks(v.template, s)
	}
	text, isText := v.literal.(string)
	if !isText || v.template != nil || v.broken || v.node.Kind != tree.KindString {
		return
	}
	if !isUnmarked(strings.TrimSpace(text), s) {
		p.warnOtherMarks(&Template{node: v.node, parts: []part{{text: text}}}, s)
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

// otherMarks matches expressions as other programs mark them: {{ x }}, ${x}, $x, {% for … %}.
var otherMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$?\{\{ *([^{}]+?) *\}\}|\$?\{ *((?:inputs|steps)\.[^{}]+?|[a-z_][\w.]*) *\}|\$[a-z]\w*(?:\.\w+|\[\d+\])*|\{%[-+]? *([^%]+?) *[-+]?%\}`)
})

// otherRoots matches what expressions begin with, here or in other programs.
var otherRoots = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:inputs|steps|env|github)\.\w|item\b)`)
})

// warnOtherMarks warns of text in a template that looks like an expression between the
// marks of another program.
func (p *parser) warnOtherMarks(t *Template, s *expression.Scope) {
	p.eachOtherMark(t, func(offset int, text string) {
		if strings.HasPrefix(text, "$") {
			p.warnDollar(t.node, offset, text, s)
		} else {
			p.warnBraces(t.node, offset, text, s)
		}
	})
}

// warnScriptMarks is warnOtherMarks for a script, where $x is the shell's.
func (p *parser) warnScriptMarks(t *Template, s *expression.Scope) {
	p.eachOtherMark(t, func(offset int, text string) {
		switch {
		case !strings.HasPrefix(text, "$"):
			p.warnBraces(t.node, offset, text, s)
		case strings.HasPrefix(text, "${") && strings.Contains(text, "."): // no variable of the shell has a dot
			p.warnDollar(t.node, offset, text, s)
		}
	})
}

// eachOtherMark calls see for what has the marks of another program in a template that
// may be nil.
func (p *parser) eachOtherMark(t *Template, see func(offset int, text string)) {
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
			see(offset+at[0], part.text[at[0]:at[1]])
		}
	}
}

// warnDollar warns of $x and ${x}, where x is an element, or a field of what expressions
// name. Other such names are variables of the shell.
func (p *parser) warnDollar(n *tree.Node, offset int, text string, s *expression.Scope) {
	source := strings.Trim(text, "${} ")
	if strings.HasPrefix(text, "${") && isUnmarked("inputs."+source, s) {
		p.warnMark(n, offset, text, "inputs."+source, s)
		return
	}
	root, field, _ := strings.Cut(source, ".")
	isElement := s.Has(root) && !slices.Contains(everywhere(), root) && slices.Contains(s.Data(), root)
	if !isElement && (field == "" || !s.Has(root) || !otherRoots().MatchString(source)) {
		return
	}
	p.warnMark(n, offset, text, source, s)
}

// everywhere are names of expressions that are no elements.
func everywhere() []string { return []string{"inputs", "steps", "env", "run", "workflow"} }

// warnBraces warns of {{ x }}, {x} and {% x %}.
func (p *parser) warnBraces(n *tree.Node, offset int, text string, s *expression.Scope) {
	source := strings.Trim(text, "{}%-+ ")
	if bare := strings.TrimLeft(source, "."); isUnmarked("inputs."+bare, s) {
		source = "inputs." + bare
	}
	if strings.HasPrefix(text, "{%") {
		word, _, _ := strings.Cut(source, " ")
		if slices.Contains([]string{"for", "if"}, word) || strings.Contains(source, "inputs.") || strings.Contains(source, "steps.") {
			p.warnMark(n, offset, text, source, s).Hint = `there are no statements; an expression puts a list into a text: ${{ join(map(list, "- " + #), "\n") }}`
		}
		return
	}
	isElement := s.Has("item") && (source == "item" || strings.HasPrefix(source, "item."))
	if isElement || isUnmarked(source, s) || strings.HasPrefix(text, "{{") && otherRoots().MatchString(source) {
		p.warnMark(n, offset, text, source, s)
	}
}

// warnMark warns of one place that looks as an expression does elsewhere.
func (p *parser) warnMark(n *tree.Node, offset int, text, source string, s *expression.Scope) *Diagnostic {
	d := p.ErrorWithin(n, offset, utf8.RuneCountInString(text), diagnostic.CodeExpression, notMarked)
	d.Severity, d.Hint = SeverityWarning, marked(source)
	if !expression.IsExpression(source, s) {
		d.Hint = "expressions are written ${{ … }}"
	}
	return d
}
