package jsonschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// A typeSet is a set of the types of JSON Schema.
type typeSet uint8

const (
	isArray typeSet = 1 << iota
	isBoolean
	isInteger
	isNull
	isNumber
	isObject
	isString

	isAnyNumber = isInteger | isNumber
)

// typeNames are the types in the order of their bits.
func typeNames() []string {
	return []string{"array", "boolean", "integer", "null", "number", "object", "string"}
}

// kindOf returns the types of a value: integers are numbers, too; 0 for a value that JSON
// does not have.
func kindOf(v any) typeSet {
	switch v := v.(type) {
	case nil:
		return isNull
	case bool:
		return isBoolean
	case string:
		return isString
	case []any:
		return isArray
	case map[string]any:
		return isObject
	case int, int64, uint64:
		return isAnyNumber
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			if n, ok := numberOf(v); !ok || !n.IsInt() {
				return isNumber
			}
		}
		return isAnyNumber
	case float64:
		if v == math.Trunc(v) {
			return isAnyNumber
		}
		return isNumber
	}
	return 0
}

// typeOf returns the name of a value's type: number also for integers.
func typeOf(v any) string {
	kind := kindOf(v)
	switch {
	case kind == 0:
		return fmt.Sprintf("%T", v)
	case kind&isNumber != 0:
		return "number"
	}
	return kind.String()
}

// oneOf returns a type with its article: "a string".
func oneOf(kind string) string {
	switch kind {
	case "array":
		return "an array"
	case "null":
		return kind
	}
	return "a " + kind
}

// String lists the types: "array", "array or string".
func (s typeSet) String() string {
	var names []string
	for i, name := range typeNames() {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return orList(names)
}

// orList joins names as in a sentence.
func orList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// readType reads a type, or a list of them.
func readType(r *reader, v any) {
	if _, isText := v.(string); isText {
		r.node.types = r.typeNamed(r.at(), v)
		return
	}
	elements, isList := v.([]any)
	switch {
	case !isList:
		r.want(r.at(), v, "the name of a type, or an array of them")
	case len(elements) == 0:
		r.problem(r.at(), "got an empty array, want at least one type")
	}
	for i, element := range elements {
		at := fmt.Sprintf("%s/%d", r.at(), i)
		one := r.typeNamed(at, element)
		if one&r.node.types != 0 && bits.OnesCount8(uint8(one)) == 1 {
			r.problem(at, "%q is named twice", element)
		}
		r.node.types |= one
	}
}

// foreignTypes are names of types in other languages, and the types.
const foreignTypes = `
int = integer
float double = number
bool = boolean
str text file path = string
list tuple = array
dict map = object
none nil = null
`

// foreignForms are names that are no types, and how each is written in a schema.
const foreignForms = `
enum choice = a list of the values is enough: enum: [low, high]
any = without type anything fits
date = write string, and format: date
datetime date-time timestamp = write string, and format: date-time
time = write string, and format: time
email = write string, and format: email
url uri = write string, and format: uri
uuid = write string, and format: uuid
string[] = write array, and items: {type: string}
`

// typeNamed returns the type with a name, and reports an unknown one.
func (r *reader) typeNamed(at string, v any) typeSet {
	name, isText := v.(string)
	if !isText {
		r.want(at, v, "the name of a type")
		return 0
	}
	names := typeNames()
	i := slices.Index(names, name)
	if i >= 0 {
		return 1 << i
	}
	if form := nearest.Table(foreignForms)[strings.ToLower(name)]; form != "" {
		r.problem(at, "%q is no type (%s)", name, form)
		return 0
	}
	meant := nearest.Table(foreignTypes)
	near := nearest.Of(name, slices.Concat(names, slices.Sorted(maps.Keys(meant))))
	if near = cmp.Or(meant[near], near); near != "" {
		names = []string{near}
	}
	r.problem(at, "%s", hint(fmt.Sprintf("%q is no type", clip(name)), near, names))
	return 0
}

// plainFor says which type plain data has in place of that of a value.
func plainFor(value any) string {
	switch reflect.ValueOf(value).Kind() {
	case reflect.Slice, reflect.Array:
		return ": use []any"
	case reflect.Map, reflect.Struct:
		return ": use map[string]any"
	}
	return ""
}

// checkType checks the type of a value.
func (v *validator) checkType(n *node, value any) bool {
	kind := kindOf(value)
	if kind == 0 {
		return v.fail(n, "type", "got a value of Go's type %T, which no JSON has%s", value, plainFor(value))
	}
	if text, isNumber := numberText(value); isNumber && !inRange(text) {
		return v.fail(n, "type", "%s", outOfRange(fmt.Sprint(value)))
	}
	if n.types == 0 || kind&n.types != 0 {
		return true
	}
	if kind == isNumber && n.types&isInteger != 0 {
		return v.fail(n, "type", "got %s, want %s", v.show(value), n.types)
	}
	want := n.types
	if n.nullable {
		want |= isNull
	}
	return v.fail(n, "type", "got %s, want %s", typeOf(value), want)
}

// readEnum reads the list of allowed values.
func readEnum(r *reader, v any) {
	values, isList := v.([]any)
	if !isList {
		r.want(r.at(), v, "array of values")
		return
	}
	r.node.enum = newEnum(values)
}

// checkValue checks const and enum.
func (v *validator) checkValue(n *node, value any) bool {
	if kindOf(value)&(isArray|isObject) != 0 {
		v.spend(size(value)) // all of it is written
	}
	ok := true
	if n.constant != nil && !n.constant.has(value) {
		ok = v.fail(n, "const", "got %s, want %s", v.show(value), show(n.constant.values[0]))
	}
	if n.enum != nil && !n.enum.has(value) {
		ok = v.failEnum(n, "enum", value)
	}
	return ok
}

// failEnum reports the allowed values, if they are few, and the nearest.
func (v *validator) failEnum(n *node, keyword string, value any) bool {
	if !v.loud || v.found.full() || len(n.enum.values) == 0 {
		return v.fail(n, keyword, "no value is allowed here: the list of those allowed is empty")
	}
	message := fmt.Sprintf("got %s, want %s", v.show(value), clip(n.enum.list()))
	var names []string
	for _, allowed := range n.enum.values {
		if name, isText := allowed.(string); isText {
			names = append(names, name)
		}
	}
	if text, isText := value.(string); isText {
		if near := nearest.Within(max(1, len(text)/3), text, names); near != "" {
			message += fmt.Sprintf(" (did you mean %q?)", near)
		}
	}
	return v.fail(n, keyword, "%s", message)
}

// list lists the values for a message, if they are few.
func (e *enumRule) list() string {
	const most = 30
	var shown []string
	for _, allowed := range e.values[:min(len(e.values), most)] {
		if text := show(allowed); !slices.Contains(shown, text) {
			shown = append(shown, text)
		}
	}
	if more := len(e.values) - most; more > 0 {
		return strings.Join(shown, ", ") + " or " + quantity.Thousands(more) + " more"
	}
	return orList(shown)
}

// show writes a value for a message, shortened.
func show(v any) string { return showHidden(v, nil) }

func showHidden(v any, hide func(text string) string) string {
	const most, few = 80, 40
	clipped := func(text string) string {
		if hide != nil {
			text = hide(text)
		}
		return clipTo(text, most)
	}
	switch v := v.(type) {
	case []any:
		if size(v) > few {
			return "an array of " + quantity.Count(len(v), "item")
		}
	case map[string]any:
		if size(v) > few {
			return "an object of " + quantity.Count(len(v), "property")
		}
	case json.Number:
		return clipped(string(v))
	case string:
		return fmt.Sprintf("%q", clipped(v))
	}
	text, err := json.Marshal(v)
	if err != nil {
		return typeOf(v)
	}
	return clipped(string(text))
}
