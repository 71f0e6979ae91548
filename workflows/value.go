package workflows

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// A Value is data whose strings may be templates: a string, or a list or map with templates
// anywhere in it.
type Value struct {
	node     *tree.Node
	template *Template         // of a string with expressions
	items    []*Value          // of a list
	keys     []string          // of a map
	values   map[string]*Value // of a map
	literal  any               // of everything else
	broken   bool              // some expression in it could not be parsed, which has been reported
}

// Position is where the value begins.
func (v *Value) Position() Position { return v.node.Position() }

// Mentions reports whether a name occurs in an expression of the value.
func (v *Value) Mentions(name string) bool { return mentions(v.expressions(), name) }

// Texts returns the texts that stand in the value, also those in its expressions, any of which may become
// what it evaluates to.
func (v *Value) Texts() (all []string) {
	for _, part := range v.parts() {
		all = append(all, part.Texts()...)
	}
	for _, e := range v.template.expressions() {
		all = append(all, e.Texts()...)
	}
	if text, isText := v.literal.(string); isText && v.template == nil {
		all = append(all, text)
	}
	return all
}

// Static returns the data of a value without expressions; false for one with some.
func (v *Value) Static() (any, bool) {
	if v.broken || len(v.expressions()) > 0 {
		return nil, false
	}
	data, err := v.Eval(nil)
	return data, err == nil
}

// Source returns the value as the file has it: a string as it is, any other value as JSON.
func (v *Value) Source() string {
	text, err := tree.TextOf(v.node.Data())
	if err != nil { // a number that JSON does not have
		return fmt.Sprint(v.node.Data())
	}
	return text
}

// Eval evaluates the expressions in the value, and returns its data, which the caller may
// keep and change.
func (v *Value) Eval(env Env) (any, error) {
	switch {
	case v.template != nil:
		return v.template.Eval(env)
	case v.node.Kind == tree.KindList:
		list := make([]any, len(v.items))
		for i, item := range v.items {
			value, err := item.Eval(env)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	case v.node.Kind == tree.KindMap:
		m := make(map[string]any, len(v.keys))
		for _, key := range v.keys {
			value, err := v.values[key].Eval(env)
			if err != nil {
				return nil, err
			}
			m[key] = value
		}
		return m, nil
	}
	return v.literal, nil
}

// parts are the elements of a list, or the values of a map, in the file's order.
func (v *Value) parts() []*Value {
	if v.values == nil {
		return v.items
	}
	parts := make([]*Value, len(v.keys))
	for i, key := range v.keys {
		parts[i] = v.values[key]
	}
	return parts
}

// expressions returns the expressions in the value, in the file's order.
func (v *Value) expressions() []*expression.Expression {
	all := v.template.expressions()
	for _, part := range v.parts() {
		all = append(all, part.expressions()...)
	}
	return all
}

// anyValue reads data in which every string may be a template.
func (p *parser) anyValue(n *tree.Node) *Value {
	before := p.reader.Bad
	v := &Value{node: n, literal: n.Value}
	switch n.Kind {
	case tree.KindString:
		v.template = p.template(n).withoutEnd()
		if text, static := v.template.Static(); static {
			v.template, v.literal = nil, text
		}
	case tree.KindList:
		for _, item := range n.Items {
			v.items = append(v.items, p.anyValue(item))
		}
	case tree.KindMap:
		v.values = make(map[string]*Value, len(n.Entries))
		for _, e := range n.Entries {
			format.NoExpression(p.Reader, e.Key)
			v.keys = append(v.keys, e.Key.Text)
			v.values[e.Key.Text] = p.anyValue(e.Value)
		}
	}
	v.broken = p.reader.Bad > before
	return v
}
