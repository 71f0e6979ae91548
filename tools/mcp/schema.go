package mcp

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Limits of the references and combinations at the root of a schema.
const (
	maxFoldingDepth = 16
	maxFoldingWork  = 10_000 // schemas and properties
)

// A folding makes the schema of one object of a schema that combines several at its root, which
// services refuse. The arguments of a call are an object, so alternatives that are none do not
// count. The result accepts whatever the given schema accepts; the server checks the rest.
type folding struct {
	root       map[string]any
	properties map[string]any
	required   []any
	work       int // so far
}

// foldSchema returns the schema of an object that stands for a schema; ok is false if it has none.
func foldSchema(root map[string]any) (object map[string]any, ok bool) {
	f := folding{root: root, properties: map[string]any{}}
	if !f.add(root, 0, true) {
		return nil, false
	}
	object = maps.Clone(root)
	for _, key := range []string{"$ref", "allOf", "anyOf", "oneOf", "not"} {
		if _, combines := object[key]; combines {
			delete(object, key)
			delete(object, "additionalProperties") // the properties of the others are more
		}
	}
	object["type"], object["properties"] = "object", f.properties
	if len(f.required) > 0 {
		object["required"] = f.required
	}
	return object, true
}

// add adds the properties of a schema, and of what it combines. certain says that the arguments have
// to match it. It returns false if no object can match it.
func (f *folding) add(schema any, depth int, certain bool) bool {
	if f.work++; depth > maxFoldingDepth || f.work > maxFoldingWork {
		return false
	}
	given, isMap := schema.(map[string]any)
	if !isMap || !mayBeObject(given) {
		return schema == true
	}
	f.addProperties(given)
	if certain {
		f.addRequired(given)
	}
	if ref, refers := given["$ref"]; refers && !f.add(f.target(ref), depth+1, certain) {
		return false
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := given[key].([]any)
		objects := 0
		for _, part := range parts {
			if f.add(part, depth+1, certain && key == "allOf") {
				objects++
			}
		}
		if given[key] != nil && (objects == 0 || key == "allOf" && objects < len(parts)) {
			return false
		}
	}
	return true
}

func (f *folding) addProperties(given map[string]any) {
	properties, _ := given["properties"].(map[string]any)
	for name, property := range properties {
		f.work++
		if known, again := f.properties[name]; again && !reflect.DeepEqual(known, property) {
			property = map[string]any{"anyOf": []any{known, property}}
		}
		f.properties[name] = property
	}
}

func (f *folding) addRequired(given map[string]any) {
	required, _ := given["required"].([]any)
	for _, name := range required {
		if text, isText := name.(string); isText && !slices.Contains(f.required, any(text)) {
			f.required = append(f.required, text)
		}
	}
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
