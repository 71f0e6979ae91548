package workflows

import (
	"fmt"
	"strings"
)

// A Condition is an expression that is true or false.
type Condition struct {
	expr       *expression
	usesStatus bool
}

// Source gives the expression, without marks around it.
func (c *Condition) Source() string { return strings.TrimSpace(c.expr.source) }

// Position is where the expression begins.
func (c *Condition) Position() Position { return c.expr.place(0) }

// UsesStatus reports whether the expression asks success(), failure() or
// always(). Where it does not, success() is implied.
func (c *Condition) UsesStatus() bool { return c.usesStatus }

// Holds computes the condition.
func (c *Condition) Holds(env Env) (bool, error) {
	value, err := c.expr.eval(env)
	if err != nil {
		return false, err
	}
	holds, isBool := value.(bool)
	if !isBool {
		return false, c.expr.failure(c.Position(), fmt.Errorf("true or false was expected, not %s", nameOf(value)))
	}
	return holds, nil
}

// condition reads a bare expression, or one in marks.
func (p *parser) condition(n *node) *Condition {
	if n.kind != kindString && n.kind != kindBool {
		p.errorf(n, codeValue, "an expression was expected, not %s", n.kind)
		return nil
	}
	text := n.text
	start := len(text) - len(strings.TrimLeft(text, " \t\n"))
	if strings.HasPrefix(text[start:], openMark) {
		e, end := p.expression(n, start)
		if e != nil && strings.TrimSpace(text[end:]) != "" {
			p.errorWithin(n, end, 1, codeExpression, "more text after the expression").Hint = "write the whole condition as one expression"
			return nil
		}
		return newCondition(e)
	}
	tree, err := parseExpression(p.grammar, text)
	e := &expression{source: text, node: n, tree: tree}
	if err != nil {
		d := p.expressionError(e, err)
		if strings.Contains(text, openMark) {
			d.Hint = "the whole of it is an expression: leave out ${{ and }}"
		}
		p.cutOff(n)
		return nil
	}
	p.expressions = append(p.expressions, e)
	return newCondition(e)
}

// newCondition makes a condition of an expression; nil of nil.
func newCondition(e *expression) *Condition {
	if e == nil {
		return nil
	}
	return &Condition{expr: e, usesStatus: callsAny(e.tree.Node, "success", "failure", "always")}
}
