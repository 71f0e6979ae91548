package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// A Template is a string in which ${{ … }} stands for the value of an expression, and $${{
// for ${{ itself.
type Template struct {
	node  *tree.Node
	parts []part
}

// A part is literal text or an expression.
type part struct {
	text string
	expr *expression.Expression
}

// Source returns the template as the file has it.
func (t *Template) Source() string { return t.node.Text }

// Position is where the template begins.
func (t *Template) Position() Position { return t.node.Position() }

// File is the file that the template stands in.
func (t *Template) File() string { return t.node.Src.File }

// Static returns the text of a template without expressions; false for one with some.
func (t *Template) Static() (string, bool) {
	if t == nil {
		return "", true
	}
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr != nil {
			return "", false
		}
		b.WriteString(p.text)
	}
	return b.String(), true
}

// Eval evaluates the template. A template that is one expression keeps the type of its
// value; any other gives a string.
func (t *Template) Eval(env Env) (any, error) {
	if len(t.parts) == 1 && t.parts[0].expr != nil {
		return t.parts[0].expr.Eval(env)
	}
	return t.Text(env)
}

// Text evaluates the template to text: strings as they are, nil as nothing, any other value
// as compact JSON. A nil Template is an empty text.
func (t *Template) Text(env Env) (string, error) { return t.text(env, nil) }

// Escaped is Text with each value as escape returns it, which gets whether the template begins with
// the value. Its error is that of escape, or of the evaluation.
func (t *Template) Escaped(env Env, escape func(value string, start bool) (string, error)) (string, error) {
	return t.text(env, func(e *expression.Expression, text string) (string, error) {
		return escape(text, e.Offset == len(expression.OpenMark))
	})
}

// With returns the text of the template with the same value in place of each expression.
func (t *Template) With(value string) string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr != nil {
			b.WriteString(value)
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// MaxInPrompt bounds, in bytes, the value of one expression in a prompt.
const MaxInPrompt = 256 << 10

// Prompt is Text for a model. A value of more than [MaxInPrompt] is shortened by cut;
// where cut is nil it is an error. An expression that calls limit(…) is never too long.
func (t *Template) Prompt(env Env, cut func(text string) string) (string, error) {
	return t.text(env, func(e *expression.Expression, text string) (string, error) {
		switch {
		case len(text) <= MaxInPrompt, e.SaysWhatToKeep():
			return text, nil
		case cut != nil:
			return cut(text), nil
		}
		return "", e.Failure(e.Position(0), fmt.Errorf("its value has %s bytes, and a prompt takes %s of one: "+
			"limit(…, 100000) keeps both ends of it, truncate of the step the part that it names", quantity.Thousands(len(text)), quantity.Thousands(MaxInPrompt)))
	})
}

// text is Text, in which pass may replace or refuse the value of each expression; it may be
// nil.
func (t *Template) text(env Env, pass func(*expression.Expression, string) (string, error)) (string, error) {
	var b strings.Builder
	if t == nil {
		return "", nil
	}
	for _, p := range t.parts {
		if p.expr == nil {
			b.WriteString(p.text)
			continue
		}
		value, err := p.expr.Eval(env)
		if err != nil {
			return "", err
		}
		text, err := tree.TextOf(value)
		if err == nil && pass != nil {
			text, err = pass(p.expr, text)
		}
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// Mentions reports whether a name occurs in an expression of the template.
func (t *Template) Mentions(name string) bool { return mentions(t.expressions(), name) }

func mentions(all []*expression.Expression, name string) bool {
	return slices.ContainsFunc(all, func(e *expression.Expression) bool { return strings.Contains(e.Source, name) })
}

// Words says who has a say in the value of the template.
func (t *Template) Words() Words {
	words := OwnWords
	for _, e := range t.expressions() {
		words = max(words, e.Words)
	}
	return words
}

// expressions returns the expressions in the template, which may be nil.
func (t *Template) expressions() []*expression.Expression {
	if t == nil {
		return nil
	}
	var all []*expression.Expression
	for _, p := range t.parts {
		if p.expr != nil {
			all = append(all, p.expr)
		}
	}
	return all
}

// withoutEnd returns the template without the line breaks that a block scalar has behind its
// only expression: they would turn the value into text.
func (t *Template) withoutEnd() *Template {
	if t == nil || len(t.parts) != 2 || t.parts[0].expr == nil || t.parts[1].expr != nil || t.node.Style != tree.StyleBlock || strings.Trim(t.parts[1].text, "\n") != "" {
		return t
	}
	return &Template{node: t.node, parts: t.parts[:1]}
}

// template splits a string into text and expressions, and reports those that can't be
// parsed.
func (p *parser) template(n *tree.Node) *Template {
	t := &Template{node: n}
	text, offset := n.Text, 0
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
		open := strings.Index(text[offset:], expression.OpenMark)
		if open < 0 {
			literal(text[offset:])
			return t
		}
		open += offset
		if open > offset && text[open-1] == '$' {
			literal(text[offset:open-1] + expression.OpenMark)
			offset = open + len(expression.OpenMark)
			continue
		}
		literal(text[offset:open])
		var e *expression.Expression
		e, offset = p.reader.Marked(n, open)
		if e != nil {
			t.parts = append(t.parts, part{expr: e})
		}
	}
}
