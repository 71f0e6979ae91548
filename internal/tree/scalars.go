package tree

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

func (t *treeBuilder) scalar(n ast.Node) *Node {
	s := t.node(n, KindString)
	s.Text = n.GetToken().Value
	switch n := n.(type) {
	case *ast.NullNode:
		s.Kind = KindNull
	case *ast.BoolNode:
		s.Kind, s.Value = KindBool, n.Value
	case *ast.IntegerNode:
		s.Kind, s.Value = KindInteger, integer(n)
	case *ast.FloatNode:
		s.Kind, s.Value = KindNumber, n.Value
	case *ast.InfinityNode, *ast.NanNode:
		return t.fail(n, "%s is no number that can be kept", s.Text)
	case *ast.StringNode:
		s.Value = n.Value
		s.string(n)
	default:
		return t.fail(n, "%s can't be used here", strings.ToLower(n.Type().String()))
	}
	return s
}

// string sets the text and style of a string. Integers too big for the YAML library, which
// returns them as plain strings, become numbers.
func (n *Node) string(from *ast.StringNode) {
	n.Text = from.Value
	switch from.GetToken().Type {
	case token.SingleQuoteType:
		n.Style = styleSingle
	case token.DoubleQuoteType:
		n.Style = styleDouble
	default:
		if digits := strings.TrimLeft(n.Text, "-"); len(digits) >= 19 && len(digits) < 400 && strings.Trim(digits, "0123456789") == "" && digits[0] != '0' {
			n.Kind, n.Value = KindInteger, json.Number(n.Text)
		}
	}
}

// integer returns an exact integer: int, or json.Number where that is too small.
func integer(n *ast.IntegerNode) any {
	switch v := n.Value.(type) {
	case int64:
		return int(v)
	case uint64:
		if v <= math.MaxInt64 {
			return int(v)
		}
		return json.Number(strconv.FormatUint(v, 10))
	}
	return json.Number(n.GetToken().Value)
}

// tag applies !!str, ignores the other standard tags, and refuses any other: it may mean
// something to its author.
func (t *treeBuilder) tag(n *ast.TagNode) *Node {
	value := t.build(n.Value)
	switch tag := n.Start.Value; tag {
	case "!!str":
		tagged := *value
		if tagged.Kind != KindList && tagged.Kind != KindMap {
			tagged.Kind, tagged.Value = KindString, tagged.Text
		}
		return &tagged
	case "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq":
		return value
	default:
		return t.failHint(n, t.meant(n), "the tag %s is not known here", tag)
	}
}
