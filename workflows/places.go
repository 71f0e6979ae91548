package workflows

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// definitions are the objects of the format as its JSON Schema has them, by name.
var definitions = sync.OnceValue(func() map[string]any {
	w := &schemaWriter{defs: map[string]any{}}
	define(w, &newFormat().file)
	return w.defs
})

// whereHint says at which place of a file a key stands that an object does not have;
// "" for a key that stands nowhere.
func whereHint(object, key string) string {
	places := placesFrom(object)
	if place := places[key]; place != "" {
		return "here it is " + place
	}
	const shortest = 4 // of names that are compared: others are all near
	if near := nearest.Of(key, slices.Sorted(maps.Keys(places))); len(key) >= shortest && near != "" {
		return fmt.Sprintf("did you mean %q? It is %s", near, places[near])
	}
	return ""
}

// placesFrom says of the keys of the format that an object does not have itself where
// they stand: at the top, in a step, or two levels below the object at most.
func placesFrom(object string) map[string]string {
	places := map[string]string{}
	if definitions()[object] == nil {
		return places // of a file of another kind
	}
	placesBelow(object, "%s", 0, places)
	for _, other := range [][2]string{{"step", `a key of a step, under "steps"`}, {"workflow", "a key of the whole file"}} {
		for name := range properties(other[0]) {
			places[name] = other[1]
		}
	}
	maps.DeleteFunc(places, func(name, _ string) bool { return properties(object)[name] != nil })
	return places
}

// properties gives the keys of an object, and what their values are.
func properties(object string) map[string]any {
	definition, _ := definitions()[object].(map[string]any)
	of, _ := definition["properties"].(map[string]any)
	return of
}

// placesBelow adds the keys of the objects that stand in one, each at the nearest
// place. The layout shows what stands around.
func placesBelow(object, layout string, level int, places map[string]string) {
	below := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(properties(object))) {
		objectsIn(properties(object)[key], key+": {%s}", below)
	}
	maps.DeleteFunc(below, func(inner, _ string) bool { return inner == "step" || inner == object })
	for inner, around := range below {
		if level == 0 {
			placesBelow(inner, fmt.Sprintf(layout, around), level+1, places)
		}
	}
	for _, inner := range slices.Sorted(maps.Keys(below)) {
		around := fmt.Sprintf(layout, below[inner])
		for name := range properties(inner) {
			places[name] = "part of " + fmt.Sprintf(around, name+": …")
		}
	}
}

// objectsIn notes the objects that a value can be, or hold, and how they stand there.
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
