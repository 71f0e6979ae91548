package workflows

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A Gate is a condition that is in no file, such as one of the command line, over values
// of any type.
type Gate struct{ expr *expression.Expression }

// ParseGate parses a condition that sees these names. With errors among the diagnostics
// the gate is nil.
func ParseGate(source string, names ...string) (*Gate, Diagnostics) {
	r := &tree.Report{}
	grammar := expression.NewGrammar(nil)
	reader := expression.NewReader(r, grammar)
	n := &tree.Node{Src: tree.NewSource("", source), Line: 1, Column: 1, Kind: tree.KindString, Value: source, Text: source}
	typed := map[string]types.Type{}
	for _, name := range names {
		typed[name] = types.TypeOf(map[string]any{})
	}
	g, scope := &Gate{reader.Bare(n)}, expression.NewScope(grammar, typed)
	if g.expr != nil {
		reader.Compile(g.expr, scope, reflect.Bool)
	}
	return valid(g, r)
}

// String returns the condition as it was written.
func (g *Gate) String() string { return g.expr.Source }

// Holds evaluates the condition. An operand that is missing or null is an error, unless
// it is compared with nil.
func (g *Gate) Holds(env Env) (bool, error) {
	if nulls := g.expr.Nulls(env); len(nulls) > 0 {
		return false, fmt.Errorf("%s is null, or is not there", strings.Join(nulls, ", "))
	}
	value, err := g.expr.Eval(env)
	if err != nil {
		return false, err
	}
	holds, isBool := value.(bool)
	if !isBool {
		return false, fmt.Errorf("true or false was expected, not %s", expression.NameOf(value))
	}
	return holds, nil
}

// Why returns the parts of the condition that decide it, with their values.
func (g *Gate) Why(env Env) []Part { return g.expr.Parts(env) }
