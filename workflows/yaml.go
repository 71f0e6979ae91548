package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// What a file may hold at most. A file beyond any of these is refused before
// its values are built.
const (
	maxFileBytes = 1 << 20
	maxDepth     = 1000
	maxValues    = 100_000
	maxKeys      = 10_000 // of one map: the YAML library compares each with all others
)

// readTree reads one YAML document (JSON is YAML, too) into a tree. It gives
// nil when there is none, and then r has the reason.
func readTree(src *source, text []byte, r *report) *node {
	if !checkText(src, text, r) {
		return nil
	}
	tokens := lexer.Tokenize(src.text)
	if tk, problem := scanTokens(tokens); tk != nil {
		r.errorAt(src, tk.Position, codeSyntax, "%s", problem)
		return nil
	}
	file, err := yamlparser.Parse(tokens, 0, yamlparser.AllowDuplicateMapKey())
	if err != nil {
		reportSyntax(src, err, r)
		return nil
	}
	body := onlyDocument(src, file, r)
	if body == nil {
		return nil
	}
	t := treeBuilder{src: src, report: r, anchors: map[string]*node{}}
	root := t.build(body)
	if t.failed {
		return nil
	}
	return root
}

// checkText refuses what is too long or no text at all.
func checkText(src *source, text []byte, r *report) bool {
	if len(text) > maxFileBytes {
		r.errorAt(src, &token.Position{Line: 1, Column: 1}, codeSyntax, "the file has %s bytes; the most is %s", thousands(len(text)), thousands(maxFileBytes))
		return false
	}
	line, column := 1, 1
	for rest := src.text; len(rest) > 0; column++ {
		c, size := utf8.DecodeRuneInString(rest)
		place := &token.Position{Line: line, Column: column}
		switch {
		case c == utf8.RuneError && size == 1:
			r.errorAt(src, place, codeSyntax, "the file is not UTF-8: byte 0x%02X", rest[0])
			return false
		case c == '\n':
			line, column = line+1, 0
		case c < ' ' && c != '\t' || c == 0x7f:
			r.errorAt(src, place, codeSyntax, "the file has the control character U+%04X; in double quotes it can be written \\x%02X", c, c)
			return false
		}
		rest = rest[size:]
	}
	return true
}

// An openMap is a list or map that is not closed yet, while tokens are scanned.
type openMap struct {
	column int // 0 in brackets
	keys   int
}

// scanTokens gives the token at which the file nests too deep, or a map has too
// many keys; nil when it does not. The parser is recursive, and quadratic in the
// keys of a map, so tokens are looked at first.
func scanTokens(tokens token.Tokens) (*token.Token, string) {
	var open []openMap
	for _, tk := range tokens {
		inBrackets := len(open) > 0 && open[len(open)-1].column == 0
		switch tk.Type {
		case token.MappingStartType, token.SequenceStartType:
			open = append(open, openMap{})
		case token.MappingEndType, token.SequenceEndType:
			if inBrackets {
				open = open[:len(open)-1]
			}
		case token.MappingValueType:
			if len(open) > 0 {
				open[len(open)-1].keys++
			}
		default:
			if !inBrackets {
				open = dedent(open, tk.Position.Column)
			}
		}
		if len(open) > maxDepth {
			return tk, fmt.Sprintf("values are nested more than %s levels deep", thousands(maxDepth))
		}
		if len(open) > 0 && open[len(open)-1].keys > maxKeys {
			return tk, fmt.Sprintf("a map has more than %s keys", thousands(maxKeys))
		}
	}
	return nil, ""
}

// dedent closes the block values that end before a token at a column, and opens
// one that begins there.
func dedent(open []openMap, column int) []openMap {
	for len(open) > 0 && open[len(open)-1].column > column {
		open = open[:len(open)-1]
	}
	if len(open) == 0 || open[len(open)-1].column < column {
		open = append(open, openMap{column: column})
	}
	return open
}

// reportSyntax reports what the YAML library says, at its place.
func reportSyntax(src *source, err error, r *report) {
	place, message := &token.Position{Line: 1, Column: 1}, err.Error()
	var detailed yaml.Error
	if errors.As(err, &detailed) {
		message = detailed.GetMessage()
		if tk := detailed.GetToken(); tk != nil {
			place = tk.Position
		}
	}
	r.errorAt(src, place, codeSyntax, "no valid YAML: %s", message)
}

// onlyDocument gives the body of the one document in the file.
func onlyDocument(src *source, file *ast.File, r *report) ast.Node {
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.CommentType || doc.Body.Type() == ast.DirectiveType:
		case body != nil:
			place := doc.Body.GetToken().Position
			if doc.Start != nil {
				place = doc.Start.Position
			}
			r.errorAt(src, place, codeSyntax, "a second document begins here; a file holds one")
			return nil
		default:
			body = doc.Body
		}
	}
	if body == nil {
		r.errorAt(src, &token.Position{Line: 1, Column: 1}, codeSyntax, "the file is empty")
	}
	return body
}

// A treeBuilder turns the parser's tree into nodes.
type treeBuilder struct {
	src     *source
	report  *report
	anchors map[string]*node // nil while the anchor's own value is built
	failed  bool
}

// fail reports why there can be no tree.
func (t *treeBuilder) fail(n ast.Node, format string, args ...any) *node {
	if !t.failed {
		t.report.errorAt(t.src, n.GetToken().Position, codeSyntax, format, args...)
	}
	t.failed = true
	return t.node(n, kindNull)
}

// node makes a node at the place of another.
func (t *treeBuilder) node(n ast.Node, kind nodeKind) *node {
	at := n.GetToken().Position
	return &node{src: t.src, line: at.Line, column: at.Column, kind: kind, size: 1}
}

// build turns one value into a node.
func (t *treeBuilder) build(n ast.Node) *node {
	if t.failed { // a file that is refused is not read to its end
		n = nil
	}
	switch n := n.(type) {
	case nil:
		return &node{src: t.src, line: 1, column: 1, kind: kindNull, size: 1}
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
		block := t.node(n, kindString)
		block.value, block.text, block.style = n.Value.Value, n.Value.Value, styleBlock
		return block
	}
	return t.scalar(n)
}

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

// sequence turns a list into a node.
func (t *treeBuilder) sequence(n *ast.SequenceNode) *node {
	list := t.node(n, kindList)
	list.items = make([]*node, 0, len(n.Values))
	for _, v := range n.Values {
		item := t.build(v)
		list.items = append(list.items, item)
		t.grow(list, item, v)
	}
	return list
}

// grow counts what a value adds to the list or map that it is in.
func (t *treeBuilder) grow(whole, part *node, at ast.Node) {
	whole.size += part.size
	if whole.size > maxValues && !t.failed {
		t.fail(at, "the file has more than %s values, its aliases expanded", thousands(maxValues))
	}
}

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

// anchor notes a value by its name. While the value is built the name stands for
// nothing, so that it can't hold itself.
func (t *treeBuilder) anchor(n *ast.AnchorNode) *node {
	name := n.Name.GetToken().Value
	t.anchors[name] = nil
	value := t.build(n.Value)
	t.anchors[name] = value
	return value
}

// alias gives the very node that an anchor named before.
func (t *treeBuilder) alias(n *ast.AliasNode) *node {
	name := n.Value.GetToken().Value
	value, known := t.anchors[name]
	switch {
	case !known:
		t.fail(n, "no anchor &%s stands before this alias", name)
	case value == nil:
		t.fail(n, "the alias *%s stands inside its own anchor", name)
	default:
		return value
	}
	return t.node(n, kindNull)
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
		return t.fail(n, "the tag %s is not known here", tag)
	}
}
