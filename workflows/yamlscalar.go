package workflows

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// scalar turns a value without parts into a node.
func (t *treeBuilder) scalar(n ast.Node) *node {
	s := t.node(n, kindString)
	s.text = n.GetToken().Value
	switch n := n.(type) {
	case *ast.NullNode:
		s.kind = kindNull
	case *ast.BoolNode:
		s.kind, s.value = kindBool, n.Value
	case *ast.IntegerNode:
		s.kind, s.value = kindInteger, integer(n)
	case *ast.FloatNode:
		s.kind, s.value = kindNumber, n.Value
	case *ast.InfinityNode, *ast.NanNode:
		return t.fail(n, "%s is no number that can be kept", s.text)
	case *ast.StringNode:
		s.value = n.Value
		s.string(n)
	default:
		return t.fail(n, "%s can't be used here", strings.ToLower(n.Type().String()))
	}
	return s
}

// string sets the text and style of a string. Whole numbers too big for the
// YAML library come as plain strings; they stay numbers here.
func (n *node) string(from *ast.StringNode) {
	n.text = from.Value
	switch from.GetToken().Type {
	case token.SingleQuoteType:
		n.style = styleSingle
	case token.DoubleQuoteType:
		n.style = styleDouble
	default:
		if digits := strings.TrimLeft(n.text, "-"); len(digits) >= 19 && len(digits) < 400 && strings.Trim(digits, "0123456789") == "" && digits[0] != '0' {
			n.kind, n.value = kindInteger, json.Number(n.text)
		}
	}
}

// integer keeps a whole number exactly: as int, or as json.Number when it is
// too big for that.
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

// tag heeds !!str, takes the other standard tags as they come, and refuses the
// rest: a tag that means nothing here may mean something to its author.
func (t *treeBuilder) tag(n *ast.TagNode) *node {
	value := t.build(n.Value)
	switch tag := n.Start.Value; tag {
	case "!!str":
		tagged := *value
		if tagged.kind != kindList && tagged.kind != kindMap {
			tagged.kind, tagged.value = kindString, tagged.text
		}
		return &tagged
	case "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq":
		return value
	default:
		return t.failHint(n, t.meant(n), "the tag %s is not known here", tag)
	}
}
