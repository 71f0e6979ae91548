package jsonschema

// A Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct {
	root      *node
	unchecked []Problem
	doubts    []Doubt
}

// Unchecked returns what is not checked, and why: for example patterns with lookarounds or
// back-references, which need more than linear time. The caller may refuse such a schema.
// The path of each problem points into the schema.
func (s *Schema) Unchecked() []Problem { return s.unchecked }

// Doubts returns what is valid in the schema and probably not meant.
func (s *Schema) Doubts() []Doubt { return s.doubts }

// A Doubt is an unknown keyword, or a required property that is not among the described
// ones.
type Doubt struct {
	Path    string // JSON pointer to it in the schema
	Message string
	Meant   string // the nearest right name; "": none is near
	Slip    bool   // it is a keyword, and only a slip away from Meant
}

// A node is a schema or a part of it that is one.
type node struct {
	at string // JSON pointer in the document

	never    bool    // the schema false
	schema   bool    // values must be schemas themselves
	nullable bool    // OpenAPI's: null fits whatever the others say
	types    typeSet // 0 is any
	constant *enumRule
	enum     *enumRule
	ref      *node

	numberRules
	stringRules
	arrayRules
	objectRules
	combinedRules
}

// numberRules are the keywords about numbers.
type numberRules struct {
	minimum, maximum, above, below, multipleOf *bound
}

// stringRules are the keywords about strings. Lengths are in code points.
type stringRules struct {
	minLength, maxLength *int
	pattern              *pattern
	format               *formatRule // nil: not checked
}

// arrayRules are the keywords about arrays.
type arrayRules struct {
	minItems, maxItems       *int
	unique                   bool
	prefix                   []*node // of the first items, one by one
	rest                     *node   // of the others
	restKeyword              string
	contains                 *node
	minContains, maxContains *int
}

// objectRules are the keywords about objects.
type objectRules struct {
	minProperties, maxProperties *int
	required                     []string
	properties                   map[string]*node
	patterns                     []patternRule
	additional                   *node
	names                        *node
	dependent                    []dependency
}

// A patternRule is for the properties whose names match a pattern.
type patternRule struct {
	pattern *pattern
	node    *node
}

// A dependency is what an object with a property must have, or match.
type dependency struct {
	keyword  string
	property string
	required []string
	schema   *node
}

// combinedRules are the keywords that apply other schemas to the same value.
type combinedRules struct {
	all, any, one              []*node
	not                        *node
	condition, then, otherwise *node
}
