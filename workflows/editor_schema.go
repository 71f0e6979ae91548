package workflows

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/format"
)

// Schema returns the JSON Schema (draft 2020-12) of workflow files, for editors. It is
// made from the tables that the parser uses, and does not cover what needs the whole
// file, such as names and types in expressions.
func Schema() []byte {
	return format.SchemaOf("workflow", func(s *format.Schema) map[string]any { return format.Define(s, newFormat().file) })
}

// describeStep is [format.Define] for a step, which is of one kind and has the keys of that kind.
func describeStep(s *format.Schema, o *format.Object[Step]) map[string]any {
	_, done := s.Definitions[o.Name]
	ref := format.Define(s, o)
	if done {
		return ref
	}
	def, _ := s.Definitions[o.Name].(map[string]any)
	var kinds, rules []any
	for _, kind := range kindKeys() {
		has := map[string]any{"required": []any{kind}}
		kinds = append(kinds, has)
		misplaced := map[string]any{}
		for _, f := range o.Fields {
			if f.Kinds != nil && !slices.Contains(f.Kinds, kindOf(kind)) {
				misplaced[f.Key] = false
			}
		}
		rules = append(rules, map[string]any{"if": has, "then": map[string]any{"properties": misplaced}})
	}
	def["oneOf"], def["allOf"] = kinds, rules
	return ref
}

// whereHint says where in a workflow a key belongs that an object of it does not have; "" for a key that
// belongs nowhere.
func whereHint(object, key string) string {
	if where := everywhere().keys[key]; where != "" && everywhere().has(object) {
		return "here it is " + where
	}
	return ""
}

// A layout is how an object of a workflow is written around %s.
type layout struct{ object, around string }

// whereabouts says where the objects and the keys of a workflow stand.
type whereabouts struct {
	objects []layout          // each after those around it
	keys    map[string]string // "a key of a step": at the top, in a step, or in the first object that has it
}

var everywhere = sync.OnceValue(func() whereabouts {
	s := &format.Schema{Definitions: map[string]any{}}
	format.Define(s, newFormat().file)
	properties := func(object string) map[string]any {
		return s.Definitions[object].(map[string]any)["properties"].(map[string]any)
	}
	all := whereabouts{objects: []layout{{"step", "%s"}, {"workflow", "%s"}}, keys: map[string]string{}}
	for i := 0; i < len(all.objects); i++ {
		at := all.objects[i]
		for _, key := range slices.Sorted(maps.Keys(properties(at.object))) {
			if all.keys[key] == "" {
				all.keys[key] = "part of " + fmt.Sprintf(at.around, key+": …")
			}
			for _, inner := range objectsIn(properties(at.object)[key], fmt.Sprintf(at.around, key+": {%s}")) {
				if !all.has(inner.object) {
					all.objects = append(all.objects, inner)
				}
			}
		}
	}
	for key := range properties("step") {
		all.keys[key] = `a key of a step, under "steps"`
	}
	for key := range properties("workflow") {
		all.keys[key] = "a key of the whole file"
	}
	return all
})

func (w whereabouts) has(object string) bool {
	return slices.ContainsFunc(w.objects, func(l layout) bool { return l.object == object })
}

// objectsIn finds the objects that a value can be, or contain.
func objectsIn(schema any, around string) (found []layout) {
	keywords, _ := schema.(map[string]any)
	if ref, is := keywords["$ref"].(string); is && strings.HasPrefix(ref, "#/$defs/") {
		found = append(found, layout{strings.TrimPrefix(ref, "#/$defs/"), around})
	}
	if items, is := keywords["items"]; is {
		found = append(found, objectsIn(items, strings.Replace(around, "{%s}", "[{%s}]", 1))...)
	}
	if values, is := keywords["additionalProperties"]; is {
		found = append(found, objectsIn(values, strings.Replace(around, "{%s}", "{NAME: {%s}}", 1))...)
	}
	either, _ := keywords["anyOf"].([]any)
	for _, one := range either {
		found = append(found, objectsIn(one, around)...)
	}
	return found
}
