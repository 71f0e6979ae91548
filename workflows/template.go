package workflows

import (
	"errors"
	"strings"

	"github.com/expr-lang/expr/file"
)

// The marks around an expression in a string.
const (
	openMark  = "${{"
	closeMark = "}}"
)

// A Template is a string of a file in which ${{ … }} stands for the value of an
// expression. $${{ stands for ${{ itself.
type Template struct {
	node  *node
	parts []part
}

// A part is literal text or an expression.
type part struct {
	text string
	expr *expression
}

// Source gives the template as the file has it.
func (t *Template) Source() string { return t.node.text }

// Position is where the template begins.
func (t *Template) Position() Position { return t.node.position() }

// Static gives the text of a template without expressions.
func (t *Template) Static() (string, bool) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr != nil {
			return "", false
		}
		b.WriteString(p.text)
	}
	return b.String(), true
}

// Eval gives the template's value. A template that is one expression keeps the
// type of its value; any other gives a string.
func (t *Template) Eval(env Env) (any, error) {
	if len(t.parts) == 1 && t.parts[0].expr != nil {
		return t.parts[0].expr.eval(env)
	}
	return t.Text(env)
}

// Text gives the template's value as text: strings as they are, nil as nothing,
// every other value as compact JSON.
func (t *Template) Text(env Env) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr == nil {
			b.WriteString(p.text)
			continue
		}
		value, err := p.expr.eval(env)
		if err != nil {
			return "", err
		}
		text, err := textOf(value)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// expressions gives the expressions in the template.
func (t *Template) expressions() []*expression {
	var all []*expression
	for _, p := range t.parts {
		if p.expr != nil {
			all = append(all, p.expr)
		}
	}
	return all
}

// withoutEnd gives the template without the line breaks behind its only
// expression: a block scalar has them, and they would make a text of its value.
func (t *Template) withoutEnd() *Template {
	if t == nil || len(t.parts) != 2 || t.parts[0].expr == nil || t.parts[1].expr != nil || t.node.style != styleBlock || strings.Trim(t.parts[1].text, "\n") != "" {
		return t
	}
	return &Template{node: t.node, parts: t.parts[:1]}
}

// template splits a string into text and expressions, and reports those that
// can't be read.
func (p *parser) template(n *node) *Template {
	t := &Template{node: n}
	text, offset := n.text, 0
	literal := func(s string) {
		if s == "" {
			return
		}
		if last := len(t.parts) - 1; last >= 0 && t.parts[last].expr == nil {
			t.parts[last].text += s
			return
		}
		t.parts = append(t.parts, part{text: s})
	}
	for {
		open := strings.Index(text[offset:], openMark)
		if open < 0 {
			literal(text[offset:])
			return t
		}
		open += offset
		if open > offset && text[open-1] == '$' {
			literal(text[offset:open-1] + openMark)
			offset = open + len(openMark)
			continue
		}
		literal(text[offset:open])
		var e *expression
		e, offset = p.expression(n, open)
		if e != nil {
			t.parts = append(t.parts, part{expr: e})
		}
	}
}

// expression reads the expression whose mark opens at a byte of a scalar's
// text, and gives the byte behind it. Its end is the first closing mark up to
// which the source is an expression, so a string or a map may hold one, too.
func (p *parser) expression(n *node, open int) (*expression, int) {
	start := open + len(openMark)
	rest := n.text[start:]
	var firstErr error
	first := -1
	for end := 0; p.badExpressions < maxBadExpressions; end += len(closeMark) {
		next := strings.Index(rest[end:], closeMark)
		if next < 0 || end+next > maxExpressionBytes && first >= 0 {
			break
		}
		end += next
		tree, err := parseExpression(p.grammar, rest[:end])
		if err == nil {
			e := &expression{source: rest[:end], node: n, offset: start, tree: tree}
			p.expressions = append(p.expressions, e)
			return e, start + end + len(closeMark)
		}
		if first < 0 {
			first, firstErr = end, err
		}
		if !mayContinue(err, rest[:end]) {
			break
		}
	}
	p.badExpressions++
	if first < 0 {
		p.unclosed(n, open)
		return nil, len(n.text)
	}
	p.expressionError(&expression{source: rest[:first], node: n, offset: start}, firstErr)
	return nil, start + first + len(closeMark)
}

// maxBadExpressions is after how many expressions that can't be read the rest
// is not looked at.
const maxBadExpressions = 100

// mayContinue reports whether more text could make an expression of what could
// not be read: the error is at its end.
func mayContinue(err error, source string) bool {
	var e *file.Error
	if !errors.As(err, &e) {
		return false
	}
	return strings.Contains(e.Message, "not terminated") || strings.Contains(e.Message, "EOF") ||
		byteOffset(source, e.From) >= len(strings.TrimRight(source, " \t\n"))
}

// unclosed reports an expression without an end. In a plain scalar a " #"
// begins a comment, which may have swallowed it.
func (p *parser) unclosed(n *node, open int) {
	d := p.errorWithin(n, open, len(openMark), codeExpression, "the expression has no closing }}")
	at := n.at(len(n.text))
	rest := strings.TrimLeft(n.src.from(at.Line, at.Column), " \t")
	if n.style == stylePlain && strings.HasPrefix(rest, "#") {
		d.Hint = `" #" begins a comment: put the whole value in quotes`
	}
}
