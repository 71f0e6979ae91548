package workflows

// A Value is data whose strings may be templates: one of them, or a list or map
// with templates somewhere inside.
type Value struct {
	node     *node
	template *Template         // of a string with expressions
	items    []*Value          // of a list
	keys     []string          // of a map
	values   map[string]*Value // of a map
	literal  any               // of everything else
}

// Position is where the value begins.
func (v *Value) Position() Position { return v.node.position() }

// Static gives the data of a value that has no expressions.
func (v *Value) Static() (any, bool) {
	if len(v.expressions()) > 0 {
		return nil, false
	}
	data, err := v.Eval(nil)
	return data, err == nil
}

// Eval gives the data, with the values of its expressions in it. The caller may
// keep and change it.
func (v *Value) Eval(env Env) (any, error) {
	switch {
	case v.template != nil:
		return v.template.Eval(env)
	case v.node.kind == kindList:
		list := make([]any, len(v.items))
		for i, item := range v.items {
			value, err := item.Eval(env)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	case v.node.kind == kindMap:
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

// expressions gives the expressions in the value, in the file's order.
func (v *Value) expressions() []*expression {
	if v.template != nil {
		return v.template.expressions()
	}
	var all []*expression
	for _, item := range v.items {
		all = append(all, item.expressions()...)
	}
	for _, key := range v.keys {
		all = append(all, v.values[key].expressions()...)
	}
	return all
}

// anyValue reads data in which every string may be a template.
func (p *parser) anyValue(n *node) *Value {
	v := &Value{node: n, literal: n.value}
	switch n.kind {
	case kindString:
		v.template = p.template(n).withoutEnd()
		if text, static := v.template.Static(); static {
			v.template, v.literal = nil, text
		}
	case kindList:
		for _, item := range n.items {
			v.items = append(v.items, p.anyValue(item))
		}
	case kindMap:
		v.values = make(map[string]*Value, len(n.entries))
		for _, e := range n.entries {
			v.keys = append(v.keys, e.key.text)
			v.values[e.key.text] = p.anyValue(e.value)
		}
	}
	return v
}
