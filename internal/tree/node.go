package tree

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A nodeKind is the type of a value in a file.
type nodeKind string

// The types of values, as messages name them.
const (
	KindNull    nodeKind = "nothing"
	KindBool    nodeKind = "a boolean"
	KindInteger nodeKind = "an integer"
	KindNumber  nodeKind = "a number"
	KindString  nodeKind = "a string"
	KindList    nodeKind = "a list"
	KindMap     nodeKind = "a map"
)

// A Node is one value of a file, with its position. Aliases share one node, so a tree takes
// no more memory than its file.
type Node struct {
	Src          *Source
	Line, Column int
	Kind         nodeKind
	Value        any    // of a scalar: nil, bool, int, json.Number, float64 or string
	Text         string // of a scalar, after quotes and escapes
	Style        style
	Items        []*Node
	Entries      []Entry
	size         int // how many values it has, aliases expanded
}

// An Entry is one key of a map with its value.
type Entry struct {
	Key   *Node
	Value *Node
}

// A style is how a scalar is written.
type style int

// The styles.
const (
	StylePlain style = iota
	styleSingle
	styleDouble
	StyleBlock // literal and folded
)

// Get returns the value of a key of a map; nil where n is nil, no map, or has no such key.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for _, e := range n.Entries {
		if e.Key.Text == key {
			return e.Value
		}
	}
	return nil
}

// Size is how many values the node has, those that stand in several places counted in each.
func (n *Node) Size() int { return n.size }

// With returns a copy of a node with other parts.
func (n *Node) With(items []*Node, entries []Entry) *Node {
	c := *n
	c.Items, c.Entries, c.size = items, entries, 1
	for _, item := range items {
		c.size += item.size
	}
	for _, e := range entries {
		c.size += e.Value.size
	}
	return &c
}

// Without returns a copy of a node without some keys.
func (n *Node) Without(keys []string) *Node {
	return n.With(n.Items, slices.DeleteFunc(slices.Clone(n.Entries), func(e Entry) bool { return slices.Contains(keys, e.Key.Text) }))
}

// Become gives the node the value of another one. It stays in its place.
func (n *Node) Become(other *Node) {
	src, line, column := n.Src, n.Line, n.Column
	*n = *other
	n.Src, n.Line, n.Column = src, line, column
}

// Position is where the node begins.
func (n *Node) Position() diagnostic.Position {
	return diagnostic.Position{File: n.Src.File, Line: n.Line, Column: n.Column}
}

// length is how many characters of its first line a scalar takes.
func (n *Node) length() int {
	switch {
	case n.Kind == KindList || n.Kind == KindMap:
		return 1
	case n.Style == styleSingle || n.Style == styleDouble:
		return utf8.RuneCountInString(n.Text) + 2
	case n.Style == StyleBlock:
		return 1
	}
	return utf8.RuneCountInString(n.Text)
}

// Data returns the node as plain data: nil, bool, int, json.Number (integers of more than
// 64 bits), float64, string, []any and map[string]any.
func (n *Node) Data() any {
	switch n.Kind {
	case KindList:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.Data()
		}
		return list
	case KindMap:
		m := make(map[string]any, len(n.Entries))
		for _, e := range n.Entries {
			m[e.Key.Text] = e.Value.Data()
		}
		return m
	}
	return n.Value
}

// Key returns the node of a key of a map, or n where it has no such key.
func (n *Node) Key(name string) *Node {
	for _, e := range n.Entries {
		if e.Key.Text == name {
			return e.Key
		}
	}
	return n
}

// Find returns the node at the end of a path of keys and indexes, or the last one on the
// way.
func (n *Node) Find(path []string) *Node {
	for _, step := range path {
		next := n.Get(step)
		if n.Kind == KindList {
			next = nil
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Items) {
				next = n.Items[i]
			}
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// Describe returns the value for a message, shortened; its kind for lists, maps and null.
func (n *Node) Describe() string {
	switch n.Kind {
	case KindList, KindMap, KindNull:
		return string(n.Kind)
	case KindString:
		return strconv.Quote(Clip(n.Text, 40))
	}
	return n.Text
}
