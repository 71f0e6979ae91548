package expression

import (
	"reflect"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/types"
)

// A Grammar is the expression language of one kind of file: expr-lang's with additional
// functions, and without those that depend on more than their arguments.
type Grammar struct {
	builtins  conf.FunctionsTable
	disabled  map[string]bool
	functions map[string]nature.Nature // flow's own

	// Example is the hint that shows how a function is called; "" for none.
	Example func(function string) string
}

// NewGrammar returns the language with more functions, each by its name and a Go function
// of its type.
func NewGrammar(more map[string]any) *Grammar {
	g := &Grammar{
		builtins:  conf.FunctionsTable{},
		disabled:  map[string]bool{},
		functions: map[string]nature.Nature{},
		Example:   func(string) string { return "" },
	}
	// round is a name that flow uses; now and timezone depend on where they run.
	off := map[string]bool{"round": true, "now": true, "timezone": true}
	for _, f := range builtin.Builtins {
		if off[f.Name] {
			g.disabled[f.Name] = true
		} else {
			g.builtins[f.Name] = f
		}
	}
	for name, f := range newMeter().functions() {
		g.functions[name] = types.TypeOf(f).Nature()
	}
	for name, f := range more {
		g.functions[name] = types.TypeOf(f).Nature()
	}
	return g
}

// config returns expr's settings for an expression with the names of env.
func (g *Grammar) config(env nature.Nature, want reflect.Kind) *conf.Config {
	if env.TypeData == nil {
		env = mapNature(g.functions)
	}
	return &conf.Config{
		Env:          env,
		Strict:       true,
		Expect:       want,
		Optimize:     true,
		ShortCircuit: true,
		MaxNodes:     maxExpressionNodes,
		ConstFns:     map[string]reflect.Value{},
		Functions:    conf.FunctionsTable{},
		Builtins:     g.builtins,
		Disabled:     g.disabled,
	}
}

// IsFunction reports whether a name is that of a function.
func (g *Grammar) IsFunction(name string) bool {
	_, ours := g.functions[name]
	_, builtin := g.builtins[name]
	return ours || builtin
}

// mapNature is the type of a map that has these fields and no others.
func mapNature(fields map[string]nature.Nature) nature.Nature {
	n := types.Map{}.Nature()
	n.Fields = fields
	return n
}
