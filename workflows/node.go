package workflows

import "unicode/utf8"

// A nodeKind is what a value in a file is.
type nodeKind string

const (
	kindNull    nodeKind = "nothing"
	kindBool    nodeKind = "a boolean"
	kindInteger nodeKind = "an integer"
	kindNumber  nodeKind = "a number"
	kindString  nodeKind = "a string"
	kindList    nodeKind = "a list"
	kindMap     nodeKind = "a map"
)

// A node is one value of a file, with its place. Aliases share the node that
// they stand for, so a tree takes no more memory than its file.
type node struct {
	src          *source
	line, column int
	kind         nodeKind
	value        any    // of a scalar: nil, bool, int, json.Number, float64 or string
	text         string // of a scalar, after quotes and escapes
	style        style
	items        []*node
	entries      []entry
	size         int // how many values it is, once aliases are expanded
}

// An entry is one key of a map with its value.
type entry struct {
	key   *node
	value *node
}

// A style is how a scalar is written.
type style int

const (
	stylePlain style = iota
	styleSingle
	styleDouble
	styleBlock // literal and folded
)

// get gives the value of a key, or nil.
func (n *node) get(key string) *node {
	for _, e := range n.entries {
		if e.key.text == key {
			return e.value
		}
	}
	return nil
}

// position is where the node begins.
func (n *node) position() Position {
	return Position{File: n.src.file, Line: n.line, Column: n.column}
}

// length is how many characters of its first line a scalar takes.
func (n *node) length() int {
	switch {
	case n.kind == kindList || n.kind == kindMap:
		return 1
	case n.style == styleSingle || n.style == styleDouble:
		return utf8.RuneCountInString(n.text) + 2
	case n.style == styleBlock:
		return 1
	}
	return utf8.RuneCountInString(n.text)
}

// data gives the node as plain data: nil, bool, int, json.Number (integers of
// more than 64 bits), float64, string, []any and map[string]any.
func (n *node) data() any {
	switch n.kind {
	case kindList:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.data()
		}
		return list
	case kindMap:
		m := make(map[string]any, len(n.entries))
		for _, e := range n.entries {
			m[e.key.text] = e.value.data()
		}
		return m
	}
	return n.value
}
