package workflows

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// definitions are the objects in the format's JSON Schema, by name.
var definitions = sync.OnceValue(func() map[string]any {
	w := &schemaWriter{defs: map[string]any{}}
	define(w, newFormat().file)
	return w.defs
})

// whereHint says where in a file a key belongs that an object does not have; "" for a key
// that belongs nowhere.
func whereHint(object, key string) string {
	elsewhere := keysElsewhere(object)
	if where := elsewhere[key]; where != "" {
		return "here it is " + where
	}
	if near := nearest.Of(key, slices.Sorted(maps.Keys(elsewhere))); len(key) >= longWord && near != "" {
		return fmt.Sprintf("did you mean %q? It is %s", near, elsewhere[near])
	}
	return ""
}

// keysElsewhere says where the keys belong that an object does not have itself: at the
// top, in a step, or up to two levels below the object.
func keysElsewhere(object string) map[string]string {
	elsewhere := map[string]string{}
	if definitions()[object] == nil {
		return elsewhere // the object belongs to another kind of file
	}
	addKeysBelow(object, "%s", 0, elsewhere)
	for _, other := range [][2]string{{"step", `a key of a step, under "steps"`}, {"workflow", "a key of the whole file"}} {
		for name := range properties(other[0]) {
			elsewhere[name] = other[1]
		}
	}
	maps.DeleteFunc(elsewhere, func(name, _ string) bool { return properties(object)[name] != nil })
	return elsewhere
}

// properties returns the schemas of an object's keys.
func properties(object string) map[string]any {
	definition, _ := definitions()[object].(map[string]any)
	of, _ := definition["properties"].(map[string]any)
	return of
}

// addKeysBelow adds where the keys of the objects in one belong, the nearest for each. The
// layout shows the keys around them.
func addKeysBelow(object, layout string, level int, elsewhere map[string]string) {
	below := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(properties(object))) {
		objectsIn(properties(object)[key], key+": {%s}", below)
	}
	maps.DeleteFunc(below, func(inner, _ string) bool { return inner == "step" || inner == object })
	for inner, around := range below {
		if level == 0 {
			addKeysBelow(inner, fmt.Sprintf(layout, around), level+1, elsewhere)
		}
	}
	for _, inner := range slices.Sorted(maps.Keys(below)) {
		around := fmt.Sprintf(layout, below[inner])
		for name := range properties(inner) {
			elsewhere[name] = "part of " + fmt.Sprintf(around, name+": …")
		}
	}
}

// objectsIn finds the objects that a value can be, or contain, with their layouts in it.
func objectsIn(schema any, layout string, found map[string]string) {
	keywords, _ := schema.(map[string]any)
	if ref, is := keywords["$ref"].(string); is {
		found[strings.TrimPrefix(ref, "#/$defs/")] = layout
	}
	if items, is := keywords["items"]; is {
		objectsIn(items, strings.Replace(layout, "{%s}", "[{%s}]", 1), found)
	}
	if values, is := keywords["additionalProperties"]; is {
		objectsIn(values, strings.Replace(layout, "{%s}", "{NAME: {%s}}", 1), found)
	}
	either, _ := keywords["anyOf"].([]any)
	for _, one := range either {
		objectsIn(one, layout, found)
	}
}
