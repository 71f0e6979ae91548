package jsonschema

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Options for compiling. The zero value follows the specification.
type Options struct {
	// Formats enables checks of the formats date, date-time, email and uri. Otherwise "format"
	// is ignored.
	Formats bool

	// Strict refuses unknown keywords, except names that begin with $ or x-, and what can't be
	// checked: unevaluatedItems, unevaluatedProperties, and patterns that Go does not support.
	Strict bool
}

// A Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct{ root *node }

// A node is a schema or a part of it that is one.
type node struct {
	rules []rule
	types []string // that it allows; nil is any
	never bool     // the schema false
}

// A rule is what one keyword asks for.
type rule struct {
	keyword string
	check   check
}

// A check adds the problems of a value to the validator.
type check func(v *validator, value any)

// Compile compiles a schema from plain data, as [Parse] returns it; numbers may be Go's,
// too. The document is not copied and must not change afterwards. The error is an [*Error], with
// all problems.
func Compile(document any, o Options) (*Schema, error) {
	meta := lenientMeta
	if o.Strict {
		meta = strictMeta
	}
	c := newCompiler(document, o, meta())
	s := c.finish(c.node(document))
	if problems := append(c.meta.Validate(document), c.wrong.problems...); len(problems) > 0 {
		return nil, &Error{problems}
	}
	return s, nil
}

// A compiler compiles one document. Values of a wrong type, which are problems of the schema of
// schemas, it takes for empty.
type compiler struct {
	options  Options
	document any
	meta     *Schema // of schemas; nil for itself
	keywords []keyword
	path     []string            // to the schema or keyword that is read now
	nodes    map[uintptr]*node   // by the maps that they are read from
	named    map[string]any      // the parts with a name
	patterns map[string]*pattern // by their texts
	pending  []*reference
	wrong    list
	size     int // the instructions of all patterns together
}

func newCompiler(document any, o Options, meta *Schema) *compiler {
	return &compiler{
		options: o, document: document, meta: meta, keywords: keywordTable(),
		nodes: map[uintptr]*node{}, named: map[string]any{}, patterns: map[string]*pattern{},
	}
}

// finish resolves the references, also those in schemas that are compiled meanwhile.
func (c *compiler) finish(root *node) *Schema {
	for i := 0; i < len(c.pending) && !c.wrong.full(); i++ {
		c.path = c.pending[i].path
		c.pending[i].node = c.resolve(c.pending[i].text)
	}
	return &Schema{root}
}

// problem records a problem of the schema or keyword that is read now.
func (c *compiler) problem(format string, args ...any) {
	if !c.wrong.full() {
		c.wrong.add(Problem{Path: pointer(c.path), Message: clip(fmt.Sprintf(format, args...))})
	}
}

// unchecked records what is not checked.
func (c *compiler) unchecked(format string, args ...any) {
	if c.options.Strict {
		c.problem(format, args...)
	}
}

// node compiles a schema, once.
func (c *compiler) node(source any) *node {
	keywords, isMap := source.(map[string]any)
	if !isMap {
		if source == false {
			return &node{never: true, rules: []rule{{"", func(v *validator, _ any) { v.fail("no value is allowed here") }}}}
		}
		return &node{}
	}
	id := reflect.ValueOf(keywords).Pointer()
	if n := c.nodes[id]; n != nil {
		return n
	}
	n := &node{}
	c.nodes[id] = n
	for _, k := range c.keywords {
		value, there := keywords[k.name]
		if !there {
			continue
		}
		c.path = append(c.path, k.name)
		if check := k.read(c, keywords, value); check != nil {
			n.rules = append(n.rules, rule{k.name, check})
		}
		c.path = c.path[:len(c.path)-1]
	}
	n.types = typesIn(keywords)
	return n
}

// below compiles a schema below the one or the keyword that is read now.
func (c *compiler) below(token string, source any) *node {
	c.path = append(c.path, token)
	n := c.node(source)
	c.path = c.path[:len(c.path)-1]
	return n
}

// list compiles the schemas of a keyword.
func (c *compiler) list(source any) []*node {
	elements, _ := source.([]any)
	nodes := make([]*node, len(elements))
	for i, element := range elements {
		nodes[i] = c.below(strconv.Itoa(i), element)
	}
	return nodes
}

// byName compiles the schemas of a keyword that has them by name.
func (c *compiler) byName(source any) map[string]*node {
	object, _ := source.(map[string]any)
	nodes := make(map[string]*node, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		nodes[name] = c.below(name, object[name])
	}
	return nodes
}

// A reference leads to a node, once all parts of the document are known.
type reference struct {
	text string
	path []string // of the keyword
	node *node
}

// readRef reads a reference.
func readRef(c *compiler, _ map[string]any, v any) check {
	text, _ := v.(string)
	ref := &reference{text: text, path: slices.Clone(c.path)}
	c.pending = append(c.pending, ref)
	return func(v *validator, value any) { v.check(ref.node, value) }
}

// readName records the name of a part for references: "$id", or "$anchor" behind a #. Names are
// compared literally, not as relative URLs.
func readName(c *compiler, schema map[string]any, v any) check {
	name, _ := v.(string)
	if c.path[len(c.path)-1] == "$anchor" {
		name = "#" + name
	}
	c.named[strings.TrimSuffix(name, "#")] = schema
	return nil
}

// resolve returns the schema to which a reference leads, or reports why there is none. That of a
// draft is the schema of schemas.
func (c *compiler) resolve(text string) *node {
	if _, address, _ := strings.Cut(text, "://"); strings.HasPrefix(address, "json-schema.org/") {
		return c.meta.root
	}
	if named := c.named[text]; named != nil && text != "" {
		return c.node(named)
	}
	name, fragment, _ := strings.Cut(text, "#")
	from := c.named[name]
	if name == "" && from == nil {
		from = c.document
	}
	path, err := url.PathUnescape(fragment)
	switch {
	case from == nil:
		c.problem("%q is not loaded: a schema can refer to its own parts only", clip(text))
	case err != nil:
		c.problem("%q is no URL: %v", clip(text), err)
	case path != "" && path[0] != '/':
		c.problem("%q leads nowhere: there is no such $anchor", clip(text))
	default:
		return c.follow(text, from, Tokens(path))
	}
	return &node{}
}

// follow follows a JSON pointer.
func (c *compiler) follow(text string, source any, tokens []string) *node {
	for _, token := range tokens {
		object, _ := source.(map[string]any)
		next, there := object[token]
		if list, isList := source.([]any); isList {
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(list) {
				next, there = list[i], true
			}
		}
		if !there {
			c.problem("%q leads nowhere: there is no %q%s", clip(text), clip(token), nearestOf(token, slices.Sorted(maps.Keys(object))))
			return &node{}
		}
		source = next
	}
	before := len(c.nodes)
	n := c.node(source)
	if len(c.nodes) > before || typeOf(source) != "object" { // it stands where no keyword has a schema
		for _, p := range c.meta.Validate(source) {
			c.problem("%q leads to what is not a schema: %s", clip(text), p)
		}
	}
	return n
}
