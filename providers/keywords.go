package providers

import (
	"encoding/json"
	"slices"
)

// objectSchema decodes the JSON Schema of an object; false for any other.
func objectSchema(schema json.RawMessage) (root ordered, ok bool) {
	if !json.Valid(schema) {
		return nil, false
	}
	root, _ = decodeOrdered(schema).(ordered)
	kind, _ := root.get("type")
	return root, kind == "object"
}

// adaptEach adapts a map of schemas, and reports whether that is possible for all.
func adaptEach(value any, adapt func(schema any) (any, bool)) (any, bool) {
	schemas, ok := value.(ordered)
	if !ok || repeats(schemas) {
		return nil, false
	}
	adapted := make(ordered, len(schemas))
	for i, m := range schemas {
		adapted[i].key = m.key
		if adapted[i].value, ok = adapt(m.value); !ok {
			return nil, false
		}
	}
	return adapted, true
}

// typesOf returns the types in the keyword type; false if one is unknown.
func typesOf(kind any) ([]string, bool) {
	list, isList := kind.([]any)
	if !isList {
		list = []any{kind}
	}
	var types []string
	for _, entry := range list {
		name, _ := entry.(string)
		if !slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, name) {
			return nil, false
		}
		types = append(types, name)
	}
	return types, len(types) > 0
}

// repeats reports whether an object has a key twice, which readers understand in different
// ways.
func repeats(o ordered) bool {
	seen := map[string]bool{}
	for _, m := range o {
		if seen[m.key] {
			return true
		}
		seen[m.key] = true
	}
	return false
}

// optionalOf counts the optional properties of an object. sound is false where required
// is no list, or names a property twice or one that is not listed.
func optionalOf(object, properties ordered) (n int, sound bool) {
	value, given := object.get("required")
	names, isList := value.([]any)
	required := map[string]bool{}
	for _, name := range names {
		text, _ := name.(string)
		required[text] = true
	}
	for _, p := range properties {
		if !required[p.key] {
			n++
		}
	}
	return n, isList == given && len(names) == len(properties)-n
}
