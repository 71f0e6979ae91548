package jsonschema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// Options for compiling. The zero value follows the specification.
type Options struct {
	// Formats enables checks of known formats. Otherwise "format" is ignored.
	Formats bool
}

// The limits of a schema.
const (
	maxNodes    = 100_000
	maxDepth    = 1000
	maxPointers = 32 << 20 // bytes of all pointers
)

// Compile compiles a schema from plain data, as [Parse] returns it; numbers may be Go's,
// too. The document is not copied and must not change afterwards. The error is an [*Error]
// with all problems.
func Compile(document any, o Options) (*Schema, error) {
	c := &compiler{options: o, document: document, keywords: keywords(), nodes: map[string]*node{}, named: map[string]part{}}
	root := c.node(document, "", 0)
	if len(c.wrong.problems) == 0 {
		c.resolveAll()
	}
	if len(c.wrong.problems) == 0 && len(c.pending) > 0 {
		c.refuseLoops()
	}
	if len(c.wrong.problems) > 0 {
		return nil, &Error{c.wrong.problems, c.doubts}
	}
	return &Schema{root: root, unchecked: c.unchecked.problems, doubts: c.doubts}, nil
}

// A compiler compiles one document.
type compiler struct {
	options   Options
	document  any
	keywords  map[string]keyword
	nodes     map[string]*node // by their pointers
	named     map[string]part  // by their names
	pending   []pendingRef
	wrong     list
	unchecked list
	doubts    []Doubt
	full      bool // the schema is too large: the rest is not read
	pointers  int  // the bytes of all pointers together
	patterns  int  // the instructions of all patterns together
}

// problem records a problem at a pointer into the schema.
func (c *compiler) problem(at, format string, args ...any) {
	if !c.wrong.full() {
		c.wrong.add(Problem{Path: at, Message: clip(fmt.Sprintf(format, args...))})
	}
}

// doubt records what is probably not meant.
func (c *compiler) doubt(d Doubt) {
	if len(c.doubts) < maxProblems {
		c.doubts = append(c.doubts, d)
	}
}

// node compiles the schema at a pointer, once.
func (c *compiler) node(source any, at string, depth int) *node {
	if n, known := c.nodes[at]; known {
		return n
	}
	n := &node{at: at}
	if c.pointers += len(at); len(c.nodes) == maxNodes || depth > maxDepth || c.pointers > maxPointers {
		c.full = true
		c.problem(at, "the schema is too large: more than %s parts, or %s levels", quantity.Thousands(maxNodes), quantity.Thousands(maxDepth))
		return n
	}
	c.nodes[at] = n
	switch source := source.(type) {
	case bool:
		n.never = !source
	case map[string]any:
		r := &reader{compiler: c, node: n, source: source, depth: depth}
		for _, name := range slices.Sorted(maps.Keys(source)) {
			if r.name = name; c.keywords[name] != nil {
				c.keywords[name](r, source[name])
			} else if !ownKeyword(name) {
				meant, slip := c.meantKeyword(name)
				c.doubt(Doubt{below(at, name), fmt.Sprintf("JSON Schema has no keyword %q", clip(name)), meant, slip})
			}
		}
		r.doubtRequired()
	default:
		c.problem(at, "a schema is an object, true or false, not %s", oneOf(typeOf(source)))
	}
	return n
}

// A reader reads the keywords of one schema.
type reader struct {
	*compiler
	node   *node
	source map[string]any
	name   string // of the keyword
	depth  int
}

// doubtRequired records a required property that is probably misspelt.
func (r *reader) doubtRequired() {
	if len(r.node.properties) == 0 {
		return
	}
	for i, name := range r.node.required {
		if _, known := r.node.properties[name]; known {
			continue
		}
		if meant := nearest.Of(name, slices.Sorted(maps.Keys(r.node.properties))); meant != "" {
			r.doubt(Doubt{fmt.Sprintf("%s/required/%d", r.node.at, i), fmt.Sprintf("%q is required, and is none of the properties", clip(name)), meant, false})
		}
	}
}

// at returns the pointer to the keyword.
func (r *reader) at() string { return below(r.node.at, r.name) }

// want records that the value of a keyword has a wrong type.
func (r *reader) want(at string, got any, what string) {
	r.problem(at, "got %s, want %s", typeOf(got), what)
}

// schema reads a keyword that is a schema itself.
func (r *reader) schema(v any) *node { return r.inside(r.at(), v) }

// inside reads a schema inside of this one.
func (r *reader) inside(at string, v any) *node { return r.compiler.node(v, at, r.depth+1) }

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
		nodes[i] = r.inside(fmt.Sprintf("%s/%d", r.at(), i), element)
	}
	return nodes
}

// object reads a keyword that is an object, in the order of its keys.
func (r *reader) object(v any, what string, entry func(name, at string, v any)) {
	object, isObject := v.(map[string]any)
	if !isObject {
		r.want(r.at(), v, what)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if r.full {
			break
		}
		entry(name, below(r.at(), name), object[name])
	}
}

// byName reads a keyword that has schemas by name.
func (r *reader) byName(v any) map[string]*node {
	nodes := map[string]*node{}
	r.object(v, "object of schemas", func(name, at string, v any) { nodes[name] = r.inside(at, v) })
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
func (r *reader) number(v any) *bound {
	n, isNumber := numberOf(v)
	switch {
	case isNumber:
		return &bound{n, show(v)}
	case kindOf(v)&isAnyNumber != 0:
		r.problem(r.at(), "%s", outOfRange(fmt.Sprint(v)))
	default:
		r.want(r.at(), v, "number")
	}
	return nil
}

// count reads a keyword that is an integer from 0.
func (r *reader) count(v any) *int {
	n, isNumber := numberOf(v)
	switch {
	case !isNumber:
		r.want(r.at(), v, "whole number")
	case !n.IsInt() || n.Sign() < 0:
		r.problem(r.at(), "got %s, want a whole number that is not negative", clip(fmt.Sprint(v)))
	default:
		count := countOf(n)
		return &count
	}
	return nil
}

// names reads a list of different strings.
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
			r.want(fmt.Sprintf("%s/%d", at, i), element, "string")
		case seen[name]:
			r.problem(fmt.Sprintf("%s/%d", at, i), "%q is named twice", name)
		default:
			names = append(names, name)
		}
		seen[name] = true
	}
	return names
}
