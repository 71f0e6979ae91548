package jsonschema

import "net/url"

// A Schema is compiled, and safe for concurrent use.
type Schema struct {
	root      *node
	unchecked []Problem
}

// Unchecked names the patterns that are not checked, and why: those that look
// around or refer back need more than linear time. It is the caller's choice to
// refuse such a schema. The path of each problem points into the schema.
func (s *Schema) Unchecked() []Problem { return s.unchecked }

// A node is one schema: the whole, or one inside of it. What its keywords ask is
// grouped by what they look at; groups without keywords are nil.
type node struct {
	at       string // JSON pointer in the document
	source   any
	resource *resource

	never    bool    // the schema false
	schemas  bool    // a draft itself, which is not spelt out: values must be schemas of the resource's
	nullable bool    // OpenAPI's: null fits whatever the others say
	types    typeSet // 0 is any
	constant []any   // the one value of const
	enum     *enumRule
	numbers  *numberRules
	strings  *stringRules
	arrays   *arrayRules
	objects  *objectRules
	combined *combinedRules
	refs     []*reference

	unevaluatedItems, unevaluatedProperties *node
}

// A resource is a schema that may have a name of its own, with what is inside of
// it up to the next such schema. References are read from its name.
type resource struct {
	base    *url.URL
	draft   draft
	root    *node
	anchors map[string]*node
}

// A reference leads to another schema.
type reference struct {
	text   string
	target *node
}
