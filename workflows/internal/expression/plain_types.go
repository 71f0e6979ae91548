package expression

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// TypeName describes the values of a type of expr's: "a string".
func TypeName(of string) string {
	switch name := PlainMessage(of); name {
	case "string", "map", "list":
		return "a " + name
	case "int", "float64", "json.Number":
		return "a number"
	case "bool":
		return "true or false"
	case "nil", "<nil>", "untyped nil":
		return "nothing"
	default:
		switch {
		case strings.HasPrefix(name, "func("):
			return "a function"
		case strings.HasPrefix(name, "[]"):
			return "a list"
		case strings.HasPrefix(name, "map["), strings.HasPrefix(name, "{"):
			return "a map"
		}
		return name
	}
}

// NameOf describes what a value is, for a message: "a string".
func NameOf(v any) string { return TypeName(fmt.Sprintf("%T", v)) }

// A typeMessage is a message of expr or Go with Go's names of types, and the same message
// in plain words. Each group is a type or an operator.
type typeMessage struct {
	theirs *regexp.Regexp
	plain  string
}

// typeMessages are the messages about values of the wrong type.
var typeMessages = sync.OnceValue(func() []typeMessage {
	var all []typeMessage
	for _, m := range [][2]string{
		{`^invalid operation: (.+) (==|!=|<|<=|>|>=|\+|-|\*|/|%|\*\*|\.\.) (.+)$`, `"%[2]s" does not go with %[1]s and %[3]s`},
		{`^invalid operation: (\S+) \(mismatched types (.+) and (.+)\)$`, `"%s" does not go with %s and %s`},
		{`^invalid operation: (\S+) \(mismatched type (.+)\)$`, `"%s" does not go with %s`},
		{`^invalid operation: - (.+)$`, `"-" does not go with %s`},
		{`^invalid operation: bool\((.+)\)$`, "true or false was expected, not %s"},
		{`^invalid argument for (\w+) \(type (.+)\)$`, "%s does not take %s"},
		{`^operator "in" not defined on (.+)$`, `"in" looks into a list or a map, and not into %s`},
		{`^cannot use (.+) as field name of (.+)$`, "%s is no key of %s"},
		{`^cannot fetch (.+) from (.+)$`, "there is no %s in %s"},
		{`^cannot slice .*$`, "a part is taken of a list or a text"},
		{`^index out of range: (.+) \(array length is (.+)\)$`, "there is no element %s: the list has %s, from 0"},
		{`^runtime error: integer divide by zero$`, errDivided.Error()},
		{`^memory budget exceeded$`, errTooMuch.Error()},
		{`^reflect: Call using (.+) as type (.+)$`, "%[2]s was expected, not %[1]s"},
		{`^reflect: call of reflect\.Value\.\w+ on (\w+) Value$`, "a list was expected, not %s"},
		{`^interface conversion: interface \{\} is (.+), not (.+)$`, "%[2]s was expected, not %[1]s"},
		{`^cannot use (.+) as argument \(type (.+)\) to call (\w+) *$`, "%[3]s takes %[2]s here, not %[1]s"},
		{`^predicate should return boolean \(got (.+)\)$`, "what is said of each element must be true or false, not %s"},
		{`^builtin (\w+) takes only array \(got (.+)\)$`, "%s takes a list, not %s"},
	} {
		all = append(all, typeMessage{regexp.MustCompile(m[0]), m[1]})
	}
	return all
})

// plainTypes rewrites a message that is one of [typeMessages].
func plainTypes(message string) string {
	for _, m := range typeMessages() {
		if groups := m.theirs.FindStringSubmatch(message); groups != nil {
			var names []any
			for _, group := range groups[1:] {
				names = append(names, TypeName(group))
			}
			return fmt.Sprintf(m.plain, names...)
		}
	}
	return message
}

// runtimeMessage rewrites a message of expr's machine about a byte of the source.
func runtimeMessage(message, source string, at int) string {
	if field, ok := strings.CutSuffix(message, " from <nil>"); ok {
		return strings.Replace(field, "cannot fetch", "there is no", 1) + nothingHint(source, strings.TrimPrefix(field, "cannot fetch "))
	}
	if operands, ok := strings.CutPrefix(message, "invalid operation: "); ok && strings.Contains(operands, "<nil>") {
		return plainTypes(message) + absentHint(source)
	}
	var i, length int
	if n, _ := fmt.Sscanf(message, "index out of range: %d (array length is %d)", &i, &length); n == 2 && i < 0 {
		message = fmt.Sprintf("index out of range: %d (array length is %d)", i-length, length) // as it was written
	}
	behind := strings.TrimLeft(source[min(at, len(source)):], `[."' `)
	cast, isCast := strings.CutPrefix(message, "invalid operation: int(")
	switch {
	case isCast && (strings.HasPrefix(behind, "int(") || strings.HasPrefix(behind, "float(")):
		return fmt.Sprintf("%q is no number", strings.TrimSuffix(cast, ")"))
	case isCast:
		name := behind[:tree.WordLength(behind)]
		return fmt.Sprintf("a list has no field %q (of a list take one element, list[0], or all of them, map(list, .x))", name)
	case strings.HasSuffix(message, " from string"):
		return plainTypes(message) + " (fromJSON(…) reads one that is JSON)"
	}
	return plainTypes(message)
}
