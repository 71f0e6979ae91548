package jsonschema

// A Schema is compiled, and safe for concurrent use.
type Schema struct {
	root      *node
	unchecked []Problem
	doubts    []Doubt
}

// Unchecked names what is not checked, and why: patterns that look around or refer
// back need more than linear time. It is the caller's choice to refuse such a schema.
// The path of each problem points into the schema.
func (s *Schema) Unchecked() []Problem { return s.unchecked }

// Doubts are what is right in the schema and most likely not meant.
func (s *Schema) Doubts() []Doubt { return s.doubts }

// A Doubt is a keyword that there is not, or a required property beside others that
// has none of their names.
type Doubt struct {
	Path    string // JSON pointer to it in the schema
	Message string
	Meant   string // the nearest right name; "": none is near
	Slip    bool   // it is a keyword, and only a slip away from Meant
}

// A node is one schema: the whole, or one inside of it.
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

// A patternRule is for the properties whose names fit a pattern.
type patternRule struct {
	pattern *pattern
	node    *node
}

// A dependency is what an object must have, or fit, where it has a property.
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
