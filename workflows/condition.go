package workflows

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A Condition is an expression that is true or false.
type Condition struct {
	expr       *expression.Expression
	usesStatus bool
	usesAlways bool
}

// Source returns the expression, without marks around it.
func (c *Condition) Source() string { return strings.TrimSpace(c.expr.Source) }

// Position is where the expression begins.
func (c *Condition) Position() Position { return c.expr.Position(0) }

// UsesStatus reports whether the expression calls success(), failure() or always(). Where
// it does not, and where there is none, success() is implied.
func (c *Condition) UsesStatus() bool { return c != nil && c.usesStatus }

// UsesAlways reports whether the expression calls always(): its step runs even after an
// interrupt. Nil does not.
func (c *Condition) UsesAlways() bool { return c != nil && c.usesAlways }

// Holds evaluates the condition.
func (c *Condition) Holds(env Env) (bool, error) {
	value, err := c.expr.Eval(env)
	if err != nil {
		return false, err
	}
	holds, isBool := value.(bool)
	if !isBool {
		return false, c.expr.Failure(c.Position(), fmt.Errorf("true or false was expected, not %s", expression.NameOf(value)))
	}
	return holds, nil
}

// Sees returns the values in env that the condition refers to, without functions, and of
// the steps only those that it names: all that is needed to evaluate it again elsewhere.
func (c *Condition) Sees(env Env) (map[string]any, error) {
	seen := map[string]any{}
	return seen, c.expr.Sees(env, seen)
}

// condition parses an expression with marks around it or without.
func (p *parser) condition(n *tree.Node) *Condition {
	if n.Kind != tree.KindString && n.Kind != tree.KindBool {
		p.Errorf(n, diagnostic.CodeValue, "an expression was expected, not %s", n.Kind).Hint = cmp.Or(scalarHint(aBoolean, n), `such as inputs.mode == "fast"`)
		return nil
	}
	if hint := scalarHint(aBoolean, n); n.Kind == tree.KindString && hint != "" && !strings.HasSuffix(hint, n.Text) {
		p.Errorf(n, diagnostic.CodeValue, "a condition is an expression, and %s is none", n.Text).Hint = hint
		return nil
	}
	text := n.Text
	start := len(text) - len(strings.TrimLeft(text, " \t\n"))
	if strings.HasPrefix(text[start:], expression.OpenMark) {
		e, end := p.reader.Marked(n, start)
		if e != nil && strings.TrimSpace(text[end:]) != "" {
			p.ErrorWithin(n, end, 1, diagnostic.CodeExpression, "more text after the expression").Hint = "the whole of it is one, without marks: write " + expression.WithoutMarks(text)
			return nil
		}
		return newCondition(e)
	}
	if strings.HasPrefix(text[start:], "{{") { // no map begins so: a key of one is no map
		p.ErrorWithin(n, start, 2, diagnostic.CodeExpression, "a condition does not begin with {{").Hint = "write it without braces, or as ${{ … }}"
		return nil
	}
	return newCondition(p.reader.Bare(n))
}

// newCondition returns nil for an expression that is nil.
func newCondition(e *expression.Expression) *Condition {
	if e == nil {
		return nil
	}
	return &Condition{expr: e, usesStatus: e.Calls("success", "failure", "always"), usesAlways: e.Calls("always")}
}
