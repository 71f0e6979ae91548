package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/expr-lang/expr/types"
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

// A Part is a part of an expression, its Source, with its Value.
type Part = expression.Part

// Why returns the parts of the condition that decide it, with their values in env.
func (c *Condition) Why(env Env) []Part { return c.expr.Parts(env) }

// ConditionShape is a condition, as a part of a file, that sees these names. Each has a value of its type.
func ConditionShape(names map[string]any) format.Shape[*Condition] {
	return format.Shape[*Condition]{
		Read: func(r *format.Reader, n *tree.Node) (*Condition, bool) {
			p := newParser(r.Report, expression.NewGrammar(nil))
			typed := map[string]types.Type{}
			for name, value := range names {
				typed[name] = types.TypeOf(value)
			}
			c := p.condition(n)
			p.compileCondition(c, expression.NewScope(p.reader.Grammar, typed))
			return c, c != nil
		},
		Schema: bareExpression().Schema,
	}
}

// A Gate is a condition that is in no file, such as one of the command line, over values
// of any type.
type Gate struct{ condition *Condition }

// ParseGate parses a condition that sees these names. With errors among the diagnostics
// the gate is nil.
func ParseGate(source string, names ...string) (*Gate, Diagnostics) {
	r := &tree.Report{}
	n := &tree.Node{Src: tree.NewSource("", source), Line: 1, Column: 1, Kind: tree.KindString, Value: source, Text: source}
	maps := map[string]any{}
	for _, name := range names {
		maps[name] = map[string]any{}
	}
	c, _ := ConditionShape(maps).Read(&format.Reader{Report: r}, n)
	return valid(&Gate{c}, r)
}

// String returns the condition as it was written.
func (g *Gate) String() string { return g.condition.expr.Source }

// Holds evaluates the condition. An operand that is missing or null is an error, unless
// it is compared with nil.
func (g *Gate) Holds(env Env) (bool, error) {
	if nulls := g.condition.expr.Nulls(env); len(nulls) > 0 {
		return false, fmt.Errorf("%s is null, or is not there", strings.Join(nulls, ", "))
	}
	return g.condition.Holds(env)
}

// Why returns the parts of the condition that decide it, with their values.
func (g *Gate) Why(env Env) []Part { return g.condition.Why(env) }

// condition parses an expression with marks around it or without.
func (p *parser) condition(n *tree.Node) *Condition {
	switch {
	case n.Kind != tree.KindString && n.Kind != tree.KindBool:
		p.Errorf(n, diagnostic.CodeValue, "an expression was expected, not %s", n.Kind).Hint = `such as inputs.mode == "fast"`
		return nil
	case slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(n.Text)):
		p.Errorf(n, diagnostic.CodeValue, "a condition is an expression, and %s is none", n.Text).Hint = "it is true or false"
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
