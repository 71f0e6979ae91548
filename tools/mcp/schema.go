package mcp

import (
	"reflect"
	"slices"
	"strings"
)

// Limits of the references and combinations at the root of a schema.
const (
	maxFoldingDepth = 16
	maxFoldingWork  = 100_000 // schemas, and the names in them, that are looked at
)

// A folding makes the schema of one object of a schema that combines several at its root, which
// services refuse. The arguments of a call are an object, so alternatives that are none do not
// count. The result accepts whatever the given schema accepts; the server checks the rest.
type folding struct {
	root map[string]any
	work int // so far
}

// foldSchema returns the schema of an object that stands for a schema; ok is false if it has none.
func foldSchema(root map[string]any) (object map[string]any, ok bool) {
	f := folding{root: root}
	object, ok = f.object(root, 0)
	if ok && object["properties"] == nil {
		object["properties"] = map[string]any{} // a service refuses an object without
	}
	return object, ok
}

// object returns the object that a schema describes; ok is false if it describes none.
func (f *folding) object(schema any, depth int) (object map[string]any, ok bool) {
	if depth > maxFoldingDepth || !f.worksOn() {
		return nil, false
	}
	if schema == true {
		return map[string]any{"type": "object"}, true
	}
	given, isMap := schema.(map[string]any)
	if !isMap || !mayBeObject(given) {
		return nil, false
	}
	object = map[string]any{}
	for key, value := range given {
		switch key {
		case "$ref", "allOf", "anyOf", "oneOf", "not":
		default:
			object[key] = value
		}
	}
	object["type"] = "object"
	if ref, refers := given["$ref"]; refers {
		target, ok := f.object(f.target(ref), depth+1)
		if !ok || !f.worksOn(object, target) {
			return nil, false
		}
		object = both(object, target)
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if given[key] == nil {
			continue
		}
		parts, ok := f.objects(given[key], depth+1, key == "allOf")
		if !ok {
			return nil, false
		}
		if key != "allOf" {
			if !f.worksOn(parts...) {
				return nil, false
			}
			parts = []map[string]any{either(parts)}
		}
		for _, part := range parts {
			if !f.worksOn(object, part) {
				return nil, false
			}
			object = both(object, part)
		}
	}
	return object, true
}

// worksOn counts a schema, or several that are combined, and reports whether that is not too much.
func (f *folding) worksOn(all ...map[string]any) bool {
	f.work++
	for _, schema := range all {
		properties, _ := schema["properties"].(map[string]any)
		f.work += 1 + len(schema) + len(properties) + len(requiredOf(schema))
	}
	return f.work <= maxFoldingWork
}

// objects returns the objects of a list of schemas, at least one; all of them have to be one if all
// is true.
func (f *folding) objects(list any, depth int, all bool) (objects []map[string]any, ok bool) {
	schemas, _ := list.([]any)
	for _, schema := range schemas {
		object, ok := f.object(schema, depth)
		if ok {
			objects = append(objects, object)
		} else if all {
			return nil, false
		}
	}
	return objects, len(objects) > 0
}

// target returns what a reference within the schema leads to; nil if that is nothing.
func (f *folding) target(ref any) any {
	text, _ := ref.(string)
	path, local := strings.CutPrefix(text, "#/")
	if !local {
		return nil
	}
	var at any = f.root
	for name := range strings.SplitSeq(path, "/") {
		object, _ := at.(map[string]any)
		at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return at
}

// mayBeObject reports whether an object can match a schema, as far as its type and values say.
func mayBeObject(schema map[string]any) bool {
	kinds, _ := schema["type"].([]any)
	kind, typed := schema["type"]
	_, isConst := schema["const"]
	_, isEnum := schema["enum"]
	return (!typed || kind == "object" || slices.Contains(kinds, any("object"))) && !isConst && !isEnum
}

// both returns a schema for objects that match a and b. It may accept more where they differ.
func both(a, b map[string]any) map[string]any {
	joined := map[string]any{}
	for key, value := range a {
		if other, shared := b[key]; !shared || reflect.DeepEqual(value, other) || isText(key) {
			joined[key] = value
		}
	}
	for key, value := range b {
		if _, shared := a[key]; !shared {
			joined[key] = value
		}
	}
	set(joined, "properties", combined("allOf", a, b))
	if required := append(requiredOf(a), requiredOf(b)...); required != nil {
		slices.Sort(required)
		joined["required"] = slices.Compact(required)
	}
	if closes(a, b) || closes(b, a) {
		delete(joined, "additionalProperties")
	}
	return joined
}

// requiredOf returns the names that a schema requires, in a list of its own.
func requiredOf(schema map[string]any) (names []string) {
	switch list := schema["required"].(type) {
	case []string:
		return slices.Clone(list)
	case []any:
		for _, name := range list {
			if text, isText := name.(string); isText {
				names = append(names, text)
			}
		}
	}
	return names
}

// closes reports whether a forbids what its properties do not name, and b names more.
func closes(a, b map[string]any) bool {
	_, limited := a["additionalProperties"]
	own, _ := a["properties"].(map[string]any)
	others, _ := b["properties"].(map[string]any)
	for name := range others {
		if _, known := own[name]; limited && !known {
			return true
		}
	}
	return false
}

// either returns a schema for objects that match one of several.
func either(all []map[string]any) map[string]any {
	joined := map[string]any{}
	for key, value := range all[0] {
		if !slices.ContainsFunc(all[1:], func(other map[string]any) bool { return !reflect.DeepEqual(value, other[key]) }) {
			joined[key] = value
		}
	}
	set(joined, "properties", combined("anyOf", all...))
	counts := map[string]int{} // in how many of them a name is required
	for _, part := range all {
		names := requiredOf(part)
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			counts[name]++
		}
	}
	required := slices.DeleteFunc(requiredOf(all[0]), func(name string) bool { return counts[name] < len(all) })
	delete(joined, "required")
	if len(required) > 0 {
		joined["required"] = required
	}
	return joined
}

// combined returns the properties of several schemas; how combines those of one name that differ.
func combined(how string, all ...map[string]any) map[string]any {
	found := map[string][]any{}
	for _, part := range all {
		properties, _ := part["properties"].(map[string]any)
		for name, schema := range properties {
			if !slices.ContainsFunc(found[name], func(known any) bool { return reflect.DeepEqual(known, schema) }) {
				found[name] = append(found[name], schema)
			}
		}
	}
	properties := map[string]any{}
	for name, schemas := range found {
		properties[name] = schemas[0]
		if len(schemas) > 1 {
			properties[name] = map[string]any{how: schemas}
		}
	}
	return properties
}

// set sets a key to a value that is not empty.
func set(schema map[string]any, key string, value map[string]any) {
	delete(schema, key)
	if len(value) > 0 {
		schema[key] = value
	}
}

// isText reports whether a keyword only describes; the outer schema's words count.
func isText(keyword string) bool {
	return slices.Contains([]string{"title", "description", "$comment", "$schema", "$id", "examples", "default", "$defs", "definitions"}, keyword)
}
