package jsonschema

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// Options say how a schema is read. The zero value goes by the specification.
type Options struct {
	// Formats makes "format" a check. Without it, and for formats that are not
	// known, it is a note for people.
	Formats bool
}

// What a schema may be made of at most.
const (
	mostNodes    = 100_000
	mostDepth    = 1000
	mostPointers = 32 << 20 // bytes of all places
)

// Compile reads a schema from plain data, as [Parse] gives it. Numbers may be Go's,
// too. The document is not copied and must not change afterwards. The error is
// an [*Error] that says everything that is wrong.
func Compile(document any, o Options) (*Schema, error) {
	c := newCompiler(o)
	root := c.compile(document)
	if len(c.wrong.problems) == 0 {
		c.resolveAll()
	}
	if len(c.wrong.problems) == 0 && len(c.pending) > 0 {
		c.refuseLoops()
	}
	if len(c.wrong.problems) > 0 {
		return nil, &Error{c.wrong.problems}
	}
	return &Schema{root: root, unchecked: c.unchecked.problems}, nil
}

// A compiler reads one document.
type compiler struct {
	options   Options
	nodes     map[string]*node     // by their place
	resources map[string]*resource // by their URL
	pending   []pendingRef
	wrong     list
	unchecked list
	full      bool // the schema is too large: the rest is not read
	places    int  // the bytes of all places together
	patterns  int  // the instructions of all patterns together
}

func newCompiler(o Options) *compiler {
	return &compiler{options: o, nodes: map[string]*node{}, resources: map[string]*resource{}}
}

// compile reads the document's root, and with it all schemas inside.
func (c *compiler) compile(document any) *node {
	base := &url.URL{Scheme: "schema", Path: "/"}
	root := &resource{base: base, draft: draft2020}
	return c.node(document, "", root, 0)
}

// problem notes what is wrong at a place of the schema.
func (c *compiler) problem(at, format string, args ...any) {
	if c.wrong.full() {
		return
	}
	c.wrong.add(Problem{Path: at, Message: clip(fmt.Sprintf(format, args...))})
}

// node reads the schema at a place, once.
func (c *compiler) node(source any, at string, in *resource, depth int) *node {
	if n, known := c.nodes[at]; known {
		return n
	}
	n := &node{at: at, source: source, resource: in}
	if c.places += len(at); len(c.nodes) == mostNodes || depth > mostDepth || c.places > mostPointers {
		c.full = true
		c.problem(at, "the schema is too large: more than %s parts, or %s levels", quantity.Thousands(mostNodes), quantity.Thousands(mostDepth))
		return n
	}
	c.nodes[at] = n
	if in.root == nil {
		in.root = n
	}
	switch source := source.(type) {
	case bool:
		n.never = !source
	case map[string]any:
		c.object(n, source, depth)
	default:
		c.problem(at, "a schema is an object, true or false, not %s", oneOf(typeOf(source)))
	}
	return n
}

// object reads the keywords of a schema.
func (c *compiler) object(n *node, source map[string]any, depth int) {
	c.openResource(n, source)
	r := &reader{compiler: c, node: n, source: source, depth: depth}
	alone := false
	if n.resource.draft == draft7 {
		_, alone = source["$ref"]
	}
	table := keywords()
	for _, name := range slices.Sorted(maps.Keys(source)) {
		read, known := table[name]
		if !known {
			continue
		}
		if alone && name != "$ref" && name != "definitions" && name != "$schema" {
			continue
		}
		r.name = name
		read(r, source[name])
	}
}

// A reader reads the keywords of one schema.
type reader struct {
	*compiler
	node   *node
	source map[string]any
	name   string // of the keyword
	depth  int
}

// at is the place of the keyword.
func (r *reader) at() string { return below(r.node.at, r.name) }

// want notes that a keyword has a value of another type than it must.
func (r *reader) want(at string, got any, what string) {
	r.problem(at, "got %s, want %s", typeOf(got), what)
}

// schema reads a keyword that is a schema itself.
func (r *reader) schema(v any) *node {
	return r.compiler.node(v, r.at(), r.node.resource, r.depth+1)
}

// schemas reads a keyword that is a list of schemas.
func (r *reader) schemas(v any) []*node {
	elements, isList := v.([]any)
	if !isList {
		r.want(r.at(), v, "array of schemas")
		return nil
	}
	if len(elements) == 0 {
		r.problem(r.at(), "got an empty array, want at least one schema")
	}
	nodes := make([]*node, len(elements))
	for i, element := range elements {
		if r.full {
			break
		}
		nodes[i] = r.compiler.node(element, r.at()+"/"+strconv.Itoa(i), r.node.resource, r.depth+1)
	}
	return nodes
}

// named reads a keyword that holds schemas by name.
func (r *reader) named(v any) map[string]*node {
	object, isObject := v.(map[string]any)
	if !isObject {
		r.want(r.at(), v, "object of schemas")
		return nil
	}
	nodes := make(map[string]*node, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if r.full {
			break
		}
		nodes[name] = r.compiler.node(object[name], below(r.at(), name), r.node.resource, r.depth+1)
	}
	return nodes
}

// text reads a keyword that is a string.
func (r *reader) text(v any) (string, bool) {
	s, isString := v.(string)
	if !isString {
		r.want(r.at(), v, "string")
	}
	return s, isString
}

// boolean reads a keyword that is true or false.
func (r *reader) boolean(v any) bool {
	b, isBool := v.(bool)
	if !isBool {
		r.want(r.at(), v, "true or false")
	}
	return b
}

// number reads a keyword that is a number.
func (r *reader) number(v any) *number {
	n, isNumber := numberOf(v)
	switch {
	case isNumber:
		return &n
	case kindOf(v)&isAnyNumber != 0:
		r.problem(r.at(), "%s", outOfRange(fmt.Sprint(v)))
	default:
		r.want(r.at(), v, "number")
	}
	return nil
}

// count reads a keyword that counts something: a whole number from 0.
func (r *reader) count(v any) *int {
	n, isNumber := numberOf(v)
	switch {
	case !isNumber:
		r.want(r.at(), v, "whole number")
	case !n.whole() || n.negative:
		r.problem(r.at(), "got %s, want a whole number that is not negative", clip(fmt.Sprint(v)))
	default:
		count := n.count()
		return &count
	}
	return nil
}

// names reads a list of strings, none of them twice.
func (r *reader) names(at string, v any) []string {
	elements, isList := v.([]any)
	if !isList {
		r.want(at, v, "array of strings")
		return nil
	}
	names := make([]string, 0, len(elements))
	seen := make(map[string]bool, len(elements))
	for i, element := range elements {
		name, isString := element.(string)
		switch {
		case !isString:
			r.want(at+"/"+strconv.Itoa(i), element, "string")
		case seen[name]:
			r.problem(at+"/"+strconv.Itoa(i), "%q is named twice", name)
		default:
			names = append(names, name)
		}
		seen[name] = true
	}
	return names
}
