package providers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// A schemaDialect is the part of JSON Schema that a service supports for structured output. In all of
// them the whole is an object, and each object is closed and lists its properties.
type schemaDialect struct {
	rule func(keyword member) rule

	optional int // properties that need not be there
	unions   int

	recursive bool // a schema may refer to one that contains it
	explicit  bool // a schema has a type, or is a union; an array has items; an object says what it requires
}

// A rule is how a keyword is adapted.
type rule int

const (
	refuse     rule = iota // not supported, and the schema would mean something else without it
	keep                   // as it is
	leaveOut               // it does not restrict the answer
	say                    // not supported: it moves to the description, and the caller validates the answer
	oneSchema              // its value is a schema
	eachSchema             // its value is a map of schemas
	union                  // its value is a list of schemas, and it becomes anyOf
)

// The limits of a schema that is adapted. A recursive one exceeds them if its references are followed.
const (
	maxSchemaDepth = 40
	maxSchemaWork  = 10_000 // schemas, once for each reference to them
)

// adapt converts a schema to the dialect. Where that is impossible it returns the schema
// unchanged and false.
func (d schemaDialect) adapt(schema json.RawMessage) (json.RawMessage, bool) {
	if !json.Valid(schema) {
		return schema, false
	}
	root, _ := decodeOrdered(schema).(ordered)
	if kind, _ := root.get("type"); kind != "object" {
		return schema, false
	}
	w := schemaWalk{schemaDialect: d, root: root}
	adapted := w.schema(root, 0)
	if w.unsupported || w.optional > d.optional || w.unions > d.unions {
		return schema, false
	}
	out, _ := jsonline.Encode(adapted) // decoded from JSON
	return out, true
}

// A schemaWalk adapts a schema, and counts what the dialect limits.
type schemaWalk struct {
	schemaDialect
	root        ordered
	unsupported bool

	work, optional, unions int
}

// refuse says that the schema can't be adapted.
func (w *schemaWalk) refuse() any {
	w.unsupported = true
	return nil
}

// schema adapts one schema.
func (w *schemaWalk) schema(value any, depth int) any {
	s, isObject := value.(ordered)
	if w.work++; !isObject || depth > maxSchemaDepth || w.work > maxSchemaWork || w.unsupported {
		return w.refuse()
	}
	s = slices.DeleteFunc(slices.Clone(s), func(m member) bool { return w.rule(m) == leaveOut })
	if ref, refers := s.get("$ref"); refers {
		return w.reference(s.without("title", "description"), ref, depth)
	}
	var said []string
	var adapted ordered
	for _, m := range w.typed(s) {
		switch w.rule(m) {
		case keep:
		case say:
			said = append(said, m.words())
			continue
		case oneSchema:
			m.value = w.schema(m.value, depth+1)
		case eachSchema:
			m.value = w.each(m.value, depth+1)
		case union:
			m = member{"anyOf", w.branches(m.value, depth+1)}
			if _, second := adapted.get("anyOf"); second || depth == 0 {
				return w.refuse()
			}
		default:
			return w.refuse()
		}
		adapted = append(adapted, m)
	}
	return described(adapted, said)
}

// typed checks the type of a schema, and closes that of an object.
func (w *schemaWalk) typed(s ordered) ordered {
	kind, given := s.get("type")
	types, isList := kind.([]any)
	if isList {
		w.unions++
	} else {
		types = []any{kind}
	}
	_, isUnion := s.get("anyOf")
	_, hasItems := s.get("items")
	if w.explicit && (!given && !isUnion || slices.Contains(types, any("array")) && !hasItems) {
		w.refuse()
	}
	if _, listed := s.get("properties"); listed || slices.Contains(types, any("object")) {
		return w.closed(s)
	}
	return s
}

// closed forbids additional properties in the schema of an object. A map, which has only those, is
// not supported.
func (w *schemaWalk) closed(s ordered) ordered {
	value, _ := s.get("properties")
	properties, listed := value.(ordered)
	value, given := s.get("required")
	names, isList := value.([]any)
	unknown := slices.ContainsFunc(names, func(name any) bool {
		return !slices.ContainsFunc(properties, func(p member) bool { return p.key == name })
	})
	if !listed || given != isList || unknown {
		w.refuse()
	}
	w.optional += len(properties) - len(names)
	if !given && w.explicit {
		s = append(s, member{"required", []any{}})
	}
	switch additional, given := s.get("additionalProperties"); {
	case given && additional != false:
		w.refuse()
	case !given:
		s = append(s, member{"additionalProperties", false})
	}
	return s
}

// reference checks that a reference, beside which there is nothing, leads to the root or to a
// definition, and, unless schemas may be recursive, not to one that contains it.
func (w *schemaWalk) reference(s ordered, ref any, depth int) any {
	target, _ := ref.(string)
	definition, found := w.definition(target)
	if len(s) > 1 || !found {
		return w.refuse()
	}
	if !w.recursive {
		optional, unions := w.optional, w.unions // the definition itself is counted
		w.schema(definition, depth+1)
		w.optional, w.unions = optional, unions
	}
	return s
}

// definition returns the schema that a reference leads to; false for none.
func (w *schemaWalk) definition(target string) (any, bool) {
	if target == "#" {
		return w.root, true
	}
	for _, section := range []string{"$defs", "definitions"} {
		if name, here := strings.CutPrefix(target, "#/"+section+"/"); here {
			value, _ := w.root.get(section)
			definitions, _ := value.(ordered)
			return definitions.get(name)
		}
	}
	return nil, false
}

// each adapts a map of schemas.
func (w *schemaWalk) each(value any, depth int) any {
	schemas, isMap := value.(ordered)
	if !isMap {
		return w.refuse()
	}
	adapted := make(ordered, len(schemas))
	for i, m := range schemas {
		adapted[i] = member{m.key, w.schema(m.value, depth)}
	}
	return adapted
}

// branches adapts a list of schemas.
func (w *schemaWalk) branches(value any, depth int) any {
	w.unions++
	schemas, _ := value.([]any)
	if len(schemas) == 0 {
		return w.refuse()
	}
	adapted := make([]any, len(schemas))
	for i := range schemas {
		adapted[i] = w.schema(schemas[i], depth)
	}
	return adapted
}

// words writes a keyword for a description.
func (m member) words() string {
	text, _ := jsonline.Encode(m.value) // decoded from JSON
	return fmt.Sprintf("%s: %s", m.key, text)
}

// described adds words to the description of a schema.
func described(s ordered, words []string) ordered {
	if len(words) == 0 {
		return s
	}
	value, _ := s.get("description")
	text, _ := value.(string)
	text = strings.TrimSpace(text + " (" + strings.Join(words, ", ") + ")")
	return append(s.without("description"), member{"description", text})
}
