package tree

import (
	"maps"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A treeBuilder converts the YAML library's tree to nodes.
type treeBuilder struct {
	src     *Source
	report  *Report
	most    Limits
	anchors map[string]*Node // nil while the anchor's own value is built
	failed  bool
}

// fail reports an error after which there is no tree; only the first is reported.
func (t *treeBuilder) fail(n ast.Node, format string, args ...any) *Node {
	return t.failHint(n, "", format, args...)
}

// failHint is fail with a hint.
func (t *treeBuilder) failHint(n ast.Node, hint, format string, args ...any) *Node {
	if !t.failed {
		t.report.errorAt(t.src, n.GetToken().Position, diagnostic.CodeSyntax, format, args...).Hint = hint
	}
	t.failed = true
	return t.node(n, KindNull)
}

// meant returns the hint for a node that the library understands in another way than its
// author; "" for none.
func (t *treeBuilder) meant(n ast.Node) string {
	_, hint := explainSyntax(t.src, n.GetToken().Position, "")
	return hint
}

func (t *treeBuilder) node(n ast.Node, kind nodeKind) *Node {
	at := n.GetToken().Position
	return &Node{Src: t.src, Line: at.Line, Column: at.Column, Kind: kind, size: 1}
}

// build turns one value into a node.
func (t *treeBuilder) build(n ast.Node) *Node {
	if t.failed { // the rest of the file is not needed
		n = nil
	}
	switch n := n.(type) {
	case nil:
		return &Node{Src: t.src, Line: 1, Column: 1, Kind: KindNull, size: 1}
	case *ast.MappingNode:
		return t.mapping(n, n.Values)
	case *ast.MappingValueNode:
		return t.mapping(n, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		return t.sequence(n)
	case *ast.AnchorNode:
		return t.anchor(n)
	case *ast.AliasNode:
		return t.alias(n)
	case *ast.TagNode:
		return t.tag(n)
	case *ast.LiteralNode:
		block := t.node(n, KindString)
		block.Value, block.Text, block.Style = n.Value.Value, n.Value.Value, StyleBlock
		return block
	}
	return t.scalar(n)
}

func (t *treeBuilder) sequence(n *ast.SequenceNode) *Node {
	list := t.node(n, KindList)
	list.Items = make([]*Node, 0, len(n.Values))
	for _, v := range n.Values {
		item := t.build(v)
		list.Items = append(list.Items, item)
		t.grow(list, item, v)
	}
	return list
}

// grow counts a value in the list or map that contains it.
func (t *treeBuilder) grow(whole, part *Node, at ast.Node) {
	whole.size += part.size
	if whole.size > t.most.values && !t.failed {
		t.fail(at, "the file has more than %s values, its aliases expanded", quantity.Thousands(t.most.values))
	}
}

// anchor records a value by its name. The name has no value while that is built, so that it
// can't contain itself.
func (t *treeBuilder) anchor(n *ast.AnchorNode) *Node {
	name := n.Name.GetToken().Value
	t.anchors[name] = nil
	value := t.build(n.Value)
	t.anchors[name] = value
	return value
}

// alias returns the node of an anchor, not a copy.
func (t *treeBuilder) alias(n *ast.AliasNode) *Node {
	name := n.Value.GetToken().Value
	value, known := t.anchors[name]
	switch {
	case !known:
		hint := t.meant(n)
		if isPlain := WordLength(name) == len(name); isPlain {
			hint = "the value that it stands for is named where it comes first: &" + name + " in front of it"
		}
		if near := nearest.Of(name, slices.Sorted(maps.Keys(t.anchors))); near != "" {
			hint = "did you mean *" + near + "?"
		}
		t.failHint(n, hint, "no anchor &%s stands before this alias", name)
	case value == nil:
		t.fail(n, "the alias *%s stands inside its own anchor", name)
	default:
		return value
	}
	return t.node(n, KindNull)
}
