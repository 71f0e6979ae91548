package providers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// A schemaDialect is the part of JSON Schema that a service supports for structured output.
type schemaDialect struct {
	rule func(keyword member) rule

	depth      int // of the objects, arrays and references around a schema
	properties int // of all objects together
	optional   int // properties that need not be there
	unions     int

	recursive bool // a schema may refer to one that contains it
	explicit  bool // a schema has a type, or is a union; an array has items; an object says what it requires
	empty     bool // an object may have no properties
	rootUnion bool // the whole may be a union, too
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

// adapt converts a schema to the dialect. Where that is impossible it returns the schema
// unchanged and false.
func (d schemaDialect) adapt(schema json.RawMessage) (json.RawMessage, bool) {
	root, ok := objectSchema(schema)
	if !ok {
		return schema, false
	}
	w := schemaWalk{schemaDialect: d, root: root, sound: map[string]bool{}}
	adapted, ok := w.schema(root, nesting{})
	if !ok || w.exceeds() {
		return schema, false
	}
	out, _ := jsonline.Encode(adapted) // decoded from JSON
	return out, true
}

// A schemaWalk adapts a schema, and counts what the dialect limits.
type schemaWalk struct {
	schemaDialect
	root  ordered
	sound map[string]bool // whether references that were followed lead to valid schemas

	seen struct{ properties, optional, unions int }
}

// A nesting is how deep a schema is in the whole.
type nesting struct {
	depth int
	in    []string // the references on the way to it
}

func (p nesting) below() nesting { return nesting{p.depth + 1, p.in} }

func (w *schemaWalk) exceeds() bool {
	return w.seen.properties > w.properties || w.seen.optional > w.optional || w.seen.unions > w.unions
}

// schema adapts one schema.
func (w *schemaWalk) schema(value any, at nesting) (any, bool) {
	s, ok := value.(ordered)
	if !ok || at.depth > w.depth || repeats(s) {
		return nil, false
	}
	s = slices.DeleteFunc(slices.Clone(s), func(m member) bool { return w.rule(m) == leaveOut })
	if ref, isRef := s.get("$ref"); isRef {
		s = s.without("title", "description")
		return s, len(s) == 1 && w.refers(ref, at)
	}
	if s, ok = w.typed(s); !ok {
		return nil, false
	}
	var said []string
	var kept ordered
	for _, m := range s {
		if w.rule(m) == say {
			said = append(said, m.words())
			continue
		}
		if m, ok = w.keyword(m, at); !ok {
			return nil, false
		}
		kept = append(kept, m)
	}
	return described(kept, said), !repeats(kept)
}

// typed checks the type of a schema, and closes that of an object.
func (w *schemaWalk) typed(s ordered) (ordered, bool) {
	var types []string
	kind, given := s.get("type")
	if given {
		var known bool
		if types, known = typesOf(kind); !known {
			return nil, false
		}
	}
	if len(types) > 1 {
		w.seen.unions++
	}
	_, isUnion := s.get("anyOf")
	_, hasItems := s.get("items")
	if w.explicit && (!given && !isUnion || slices.Contains(types, "array") && !hasItems) {
		return nil, false
	}
	if _, listed := s.get("properties"); listed || slices.Contains(types, "object") {
		return w.closed(s)
	}
	return s, true
}

// closed forbids additional properties in the schema of an object. It returns false for a
// map, which has only those.
func (w *schemaWalk) closed(s ordered) (ordered, bool) {
	value, _ := s.get("properties")
	properties, listed := value.(ordered)
	optional, sound := optionalOf(s, properties)
	w.seen.properties += len(properties)
	w.seen.optional += optional
	if !listed || !sound || len(properties) == 0 && !w.empty {
		return nil, false
	}
	if _, given := s.get("required"); w.explicit && !given {
		s = append(s, member{"required", []any{}})
	}
	switch additional, given := s.get("additionalProperties"); {
	case given && additional != false:
		return nil, false
	case !given:
		s = append(s, member{"additionalProperties", false})
	}
	return s, true
}

// refers reports whether a reference leads to the root or to a definition, and, unless
// schemas may be recursive, not to one that contains it.
func (w *schemaWalk) refers(ref any, at nesting) bool {
	target, _ := ref.(string)
	definition, found := w.definition(target)
	if !found || w.recursive {
		return found
	}
	if !w.sound[target] && !slices.Contains(at.in, target) {
		counted := *w // its counts are dropped: the definition itself is counted
		_, w.sound[target] = counted.schema(definition, nesting{at.depth + 1, append(slices.Clip(at.in), target)})
	}
	return w.sound[target]
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

// keyword adapts one keyword of a schema.
func (w *schemaWalk) keyword(m member, at nesting) (member, bool) {
	ok := true
	switch w.rule(m) {
	case keep:
	case oneSchema:
		m.value, ok = w.schema(m.value, at.below())
	case eachSchema:
		m.value, ok = adaptEach(m.value, func(schema any) (any, bool) { return w.schema(schema, at.below()) })
	case union:
		w.seen.unions++
		m.key = "anyOf"
		m.value, ok = w.branches(m.value, at)
	default:
		ok = false
	}
	return m, ok
}

func (w *schemaWalk) branches(value any, at nesting) (any, bool) {
	schemas, _ := value.([]any)
	adapted := make([]any, len(schemas))
	for i := range schemas {
		var ok bool
		if adapted[i], ok = w.schema(schemas[i], at); !ok {
			return nil, false
		}
	}
	return adapted, len(adapted) > 0 && (at.depth > 0 || w.rootUnion)
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
