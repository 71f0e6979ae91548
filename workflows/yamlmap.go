package workflows

import "github.com/goccy/go-yaml/ast"

// mapping turns a map into a node. A key that is there twice is reported, and the
// first one counts.
func (t *treeBuilder) mapping(n ast.Node, values []*ast.MappingValueNode) *node {
	m := t.node(n, kindMap)
	m.entries = make([]entry, 0, len(values))
	places := make(map[string]int, len(values)) // of the keys in entries
	var merged []*node
	for _, v := range values {
		if v.Key.IsMergeKey() {
			merged = append(merged, t.mergeSources(v)...)
			continue
		}
		key, value := t.key(v.Key), t.build(v.Value)
		t.grow(m, value, v)
		if first, twice := places[key.text]; twice {
			t.report.errorf(key, codeKey, "duplicate key %q; the first is in line %d", key.text, m.entries[first].key.line)
			continue
		}
		places[key.text] = len(m.entries)
		m.entries = append(m.entries, entry{key, value})
	}
	t.merge(m, merged, places, n)
	if mapping, ok := n.(*ast.MappingNode); ok && mapping.Start != nil && mapping.IsFlowStyle {
		m.line, m.column = mapping.Start.Position.Line, mapping.Start.Position.Column
	} else if len(values) > 0 {
		at := values[0].Key.GetToken().Position
		m.line, m.column = at.Line, at.Column
	}
	return m
}

// merge adds the keys of other maps that the map does not have itself.
func (t *treeBuilder) merge(m *node, sources []*node, places map[string]int, at ast.Node) {
	for _, s := range sources {
		for _, e := range s.entries {
			if _, own := places[e.key.text]; own {
				continue
			}
			places[e.key.text] = len(m.entries)
			m.entries = append(m.entries, e)
			t.grow(m, e.value, at)
		}
	}
}

// mergeSources gives the maps that a merge key names.
func (t *treeBuilder) mergeSources(v *ast.MappingValueNode) []*node {
	value := t.build(v.Value)
	sources := []*node{value}
	if value.kind == kindList {
		sources = value.items
	}
	for _, s := range sources {
		if s.kind != kindMap {
			t.fail(v, "<< takes a map or a list of maps, not %s", s.kind)
			return nil
		}
	}
	return sources
}

// key turns a key into a node; it may be written as an alias, or behind a ?.
func (t *treeBuilder) key(n ast.MapKeyNode) *node {
	var inner ast.Node = n
	if complexKey, ok := n.(*ast.MappingKeyNode); ok {
		inner = complexKey.Value
	}
	key := t.build(inner)
	if key.kind == kindList || key.kind == kindMap {
		return t.fail(n, "a key must be a string, not %s", key.kind)
	}
	return key
}
