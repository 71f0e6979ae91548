package tree

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// mapping converts a map. A duplicate key is reported, and the first one counts.
func (t *treeBuilder) mapping(n ast.Node, values []*ast.MappingValueNode) *Node {
	m := t.node(n, KindMap)
	m.Entries = make([]Entry, 0, len(values))
	indexes := make(map[string]int, len(values)) // of the keys in entries
	var merged []*Node
	for _, v := range values {
		if v.Key.IsMergeKey() {
			merged = append(merged, t.mergeSources(v)...)
			continue
		}
		key, value := t.key(v.Key), t.build(v.Value)
		t.grow(m, value, v)
		if key.Style == StylePlain && strings.HasPrefix(key.Text, string(noBreakSpace)) {
			return t.failHint(v.Key, "indent with plain spaces", "no valid YAML: the line begins with a no-break space (U+00A0), which is no space to YAML")
		}
		if first, twice := indexes[key.Text]; twice {
			t.report.Errorf(key, diagnostic.CodeKey, "duplicate key %q; the first is in line %d", key.Text, m.Entries[first].Key.Line)
			continue
		}
		indexes[key.Text] = len(m.Entries)
		m.Entries = append(m.Entries, Entry{key, value})
	}
	t.merge(m, merged, indexes, n)
	if mapping, ok := n.(*ast.MappingNode); ok && mapping.Start != nil && mapping.IsFlowStyle {
		m.Line, m.Column = mapping.Start.Position.Line, mapping.Start.Position.Column
	} else if len(values) > 0 {
		at := values[0].Key.GetToken().Position
		m.Line, m.Column = at.Line, at.Column
	}
	return m
}

// merge adds the keys of other maps that the map does not have.
func (t *treeBuilder) merge(m *Node, sources []*Node, indexes map[string]int, at ast.Node) {
	for _, s := range sources {
		for _, e := range s.Entries {
			if _, own := indexes[e.Key.Text]; own {
				continue
			}
			indexes[e.Key.Text] = len(m.Entries)
			m.Entries = append(m.Entries, e)
			t.grow(m, e.Value, at)
		}
	}
}

// mergeSources returns the maps of a merge key.
func (t *treeBuilder) mergeSources(v *ast.MappingValueNode) []*Node {
	value := t.build(v.Value)
	sources := []*Node{value}
	if value.Kind == KindList {
		sources = value.Items
	}
	for _, s := range sources {
		if s.Kind != KindMap {
			t.fail(v, "<< takes a map or a list of maps, not %s", s.Kind)
			return nil
		}
	}
	return sources
}

// key converts a key, which may be an alias, or stand behind a ?.
func (t *treeBuilder) key(n ast.MapKeyNode) *Node {
	var inner ast.Node = n
	if complexKey, ok := n.(*ast.MappingKeyNode); ok {
		inner = complexKey.Value
	}
	key := t.build(inner)
	if key.Kind == KindList || key.Kind == KindMap {
		return t.fail(n, "a key must be a string, not %s", key.Kind)
	}
	return key
}
