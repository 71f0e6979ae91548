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
	if where := places().keys[key]; where != "" && places().objects[object] {
		return "here it is " + where
	}
	return ""
}

// A placing says where the keys of a workflow stand: at the top, in a step, or in the first object that has them.
type placing struct {
	keys    map[string]string // such as "a key of a step"
	objects map[string]bool
}

var places = sync.OnceValue(func() placing {
	s := &format.Schema{Definitions: map[string]any{}}
	format.Define(s, newFormat().file)
	properties := func(object string) map[string]any {
		return s.Definitions[object].(map[string]any)["properties"].(map[string]any)
	}
	all := placing{map[string]string{}, map[string]bool{"step": true, "workflow": true}}
	for key := range properties("step") {
		all.keys[key] = `a key of a step, under "steps"`
	}
	for key := range properties("workflow") {
		all.keys[key] = "a key of the whole file"
	}
	type layout struct{ object, around string } // how the keys of an object are written, around %s
	layouts := []layout{{"step", "%s"}, {"workflow", "%s"}}
	var find func(schema any, around string) // the objects in a value
	find = func(schema any, around string) {
		keywords, _ := schema.(map[string]any)
		ref, _ := keywords["$ref"].(string)
		if object, is := strings.CutPrefix(ref, "#/$defs/"); is && !all.objects[object] {
			all.objects[object] = true
			layouts = append(layouts, layout{object, fmt.Sprintf(around, "{%s}")})
		}
		if items, is := keywords["items"]; is {
			find(items, fmt.Sprintf(around, "[%s]"))
		}
		if values, is := keywords["additionalProperties"]; is {
			find(values, fmt.Sprintf(around, "{NAME: %s}"))
		}
		either, _ := keywords["anyOf"].([]any)
		for _, one := range either {
			find(one, around)
		}
	}
	for i := 0; i < len(layouts); i++ {
		for _, key := range slices.Sorted(maps.Keys(properties(layouts[i].object))) {
			if all.keys[key] == "" {
				all.keys[key] = "part of " + fmt.Sprintf(layouts[i].around, key+": …")
			}
			find(properties(layouts[i].object)[key], fmt.Sprintf(layouts[i].around, key+": %s"))
		}
	}
	return all
})
