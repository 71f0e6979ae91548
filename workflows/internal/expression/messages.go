package expression

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/tree"
)

const (
	compareHint  = `a condition compares, as in x != "", x > 0 or x == "a"`
	listHint     = "of a list take one element, list[0], or all of them, map(list, .x)"
	nothingHint  = "?? gives a value where there is none"
	endsTooEarly = "the expression ends too early"
)

// A message is one of expr or Go, and the same in plain words, with the groups of the pattern, each of which is
// a type, an operator or a name, as $1, $2 and so on.
// The hint says how to write it instead.
type message struct{ theirs, plain, hint string }

// messages are about values of the wrong type; the first that fits counts.
var messages = []message{
	{`^invalid operation: .*func\(.*$`, "a function is no value to calculate with", "a function is called: success()"},
	{`^invalid operation: (\+) \(mismatched types (.+) and (.+)\)$`, `"$1" does not go with $2 and $3`, "string(x) makes a text of a number, int(x) a number of a text"},
	{`^invalid operation: (\|\||or) \(mismatched types (.+) and (.+)\)$`, `"$1" does not go with $2 and $3`, `a default is written x ?? "a"`},
	{`^invalid operation: (\S+) \(mismatched types (.+) and (.+)\)$`, `"$1" does not go with $2 and $3`, ""},
	{`^invalid operation: (\S+) \(mismatched type (.+)\)$`, `"$1" does not go with $2`, ""},
	{`^invalid operation: (<nil>) (\S+) (.+)$`, `"$2" does not go with $1 and $3`, nothingHint},
	{`^invalid operation: (.+) (\S+) (<nil>)$`, `"$2" does not go with $1 and $3`, nothingHint},
	{`^invalid operation: (\S+) (==|!=|<|<=|>|>=|\+|-|\*|/|%|\*\*|\.\.) (.+)$`, `"$2" does not go with $1 and $3`, ""},
	{`^invalid operation: - (.+)$`, `"-" does not go with $1`, ""},
	{`^invalid operation: bool\((.+)\)$`, "true or false was expected, not $1", ""},
	{`^invalid operation: int\(string\)$`, "a list has no field", listHint},
	{`^invalid operation: (?:int|float)\((.*)\)$`, `"$1" is no number`, ""},
	{`^invalid argument for (\w+) \(type (.+)\)$`, "$1 does not take $2", ""},
	{`^operator "in" not defined on (.+)$`, `"in" looks into a list or a map, and not into $1`, ""},
	{`^cannot use (.+) as field name of (.+)$`, "$1 is no key of $2", ""},
	{`^cannot use int to get an element from map.*$`, "this is no list, of which an element could be taken", `a field is written .name, or ["name"]`},
	{`^cannot fetch (.+) from (<nil>)$`, "there is no $1 in $2", "?. passes over a field of what is not there"},
	{`^cannot fetch (.+) from (string)$`, "there is no $1 in $2", "fromJSON(…) reads one that is JSON"},
	{`^cannot fetch (.+) from (.+)$`, "there is no $1 in $2", ""},
	{`^cannot slice .*$`, "a part is taken of a list or a text", ""},
	{`^cannot (?:concat|flatten) (.+)$`, "a list was expected, not $1", "a list of one is [x]"},
	{`^cannot use (.+) as argument \(type (.+)\) to call (\w+) *$`, "$3 takes $2 here, not $1", ""},
	{`^index out of range: .+ \(array length is (.+)\)$`, "there is no such element: the list has $1, from 0", ""},
	{`^array elements can only be selected using an integer.*$`, "a list has no field", listHint},
	{`^type string\[.*$`, "a text has no elements", `a part of a text is text[0:3]; with "output: lines" or "output: json" a step's output may be a list`},
	{`^type string has no.*$`, "a text has no field", `with "output: json" or a JSON Schema a step's output has fields; fromJSON(…) reads a text that is JSON`},
	{`^type func\(.*$`, "a function has no field", ""},
	{`^non-bool expression \(.*$`, "before ? stands a condition that is true or false", compareHint},
	{`^predicate should return boolean \(got (.+)\)$`, "what is said of each element must be true or false, not $1", ""},
	{`^builtin (\w+) takes only array \(got (.+)\)$`, "$1 takes a list, not $2", ""},
	{`^error parsing regexp: (.+)$`, "the pattern can't be read: $1", ""},
	{`^runtime error: integer divide by zero$`, "nothing can be divided by 0", ""},
	{`^memory budget exceeded$`, errTooMuch.Error(), ""},
	{`^reflect: Call using (.+) as type (.+)$`, "$2 was expected, not $1", ""},
	{`^reflect: call of reflect\.Value\.\w+ on (\w+) Value$`, "a list was expected, not $1", ""},
	{`^interface conversion: interface \{\} is (.+), not (.+)$`, "$2 was expected, not $1", ""},
}

// inWords rewrites a message that is one of [messages]; false for any other.
func inWords(theirs string) (plain, hint string, known bool) {
	for _, m := range messages {
		if groups, fits := tree.Fit([]string{m.theirs}, []string{theirs}); fits {
			for i, group := range groups {
				groups[i] = TypeName(group)
			}
			return tree.Fill(m.plain, groups), m.hint, true
		}
	}
	return theirs, "", false
}

// TypeName describes the values of a type of Go's or expr's: "a string".
func TypeName(of string) string {
	switch of {
	case "string":
		return "a string"
	case "int", "float64", "json.Number":
		return "a number"
	case "bool":
		return "true or false"
	case "nil", "<nil>", "untyped nil":
		return "nothing"
	case "interface {}":
		return "any value"
	}
	switch {
	case strings.HasPrefix(of, "func("):
		return "a function"
	case strings.HasPrefix(of, "[]"):
		return "a list"
	case strings.HasPrefix(of, "map["), strings.HasPrefix(of, "{"):
		return "a map"
	}
	return of
}

// NameOf describes what a value is, for a message: "a string".
func NameOf(v any) string { return TypeName(fmt.Sprintf("%T", v)) }

// noStatements is the hint for the statements of templates and of other languages.
const noStatements = `there are no statements; one of two values is condition ? "this" : "that", and a list in a text join(map(list, "- " + #), "\n")`

// A slip is a mistake of syntax that people make: by the message, and by the source, with ¦ where the
// mistake is. In the message and the hint $1 is a group of the pattern that has one.
type slip struct{ says, source, plain, hint string }

// slips are those of syntax; the first that fits counts. Without a plain message that of expr stays.
var slips = []slip{
	{`^unexpected token EOF`, "^[^\"'`]*[(\\[{][^)\\]}\"'`]*$", endsTooEarly, "a bracket is not closed"},
	{`^unexpected token EOF`, `[^|]\|\s*(\w+)\s*¦?\s*$`, endsTooEarly, "a call follows |, as in $1()"},
	{`^unexpected token EOF`, `(\S+)\s*¦?\s*$`, endsTooEarly, "something has to follow $1"},
	{`^unexpected token EOF`, "", endsTooEarly, ""},
	{`literal not terminated`, "", "the string has no closing quote", ""},
	{`^invalid char escape`, "", "the string has an escape that there is not", `write \\ for a backslash, or put the text in backquotes, which have no escapes`},
	{`^bad number syntax: (.*)`, `\.[\w.]*-`, "$1 is no number", `a name with a dash is written in brackets: steps["a-1"]`},
	{`^bad number syntax: (.*)`, "", "$1 is no number", ""},
	{`exceeds maximum allowed nodes`, "", fmt.Sprintf("the expression has more than %d parts", maxExpressionNodes), ""},
	{`^unrecognized`, `[“”„‘’«»]`, "", `a text stands in straight quotes: "…"`},
	{`^unexpected`, `^\s*¦?(?:if|else|elif|for|range|with)\b`, "", noStatements},
	{`^unexpected`, `[^|]\|\s*(\w+)\s*¦`, "", "a call follows |, as in $1()"},
	{`^unexpected`, `,\s*\{[^{}]*¦:`, "", `braces hold a predicate there; a map in it has braces of its own: {{"name": .name}}`},
	{`^unexpected`, `¦contains\(`, "", `it goes between its operands: text contains "a"; whether a list has an element is "a" in list`},
	{`^unexpected`, `¦(startsWith|endsWith|matches)\(`, "", `it goes between its operands: text $1 "a"`},
	{`^unexpected`, `¦(?:then|if)\b`, "", "it is written condition ? this : that"},
	{`^unexpected`, `¦=>`, "", `a predicate has no arrow; # is the element: filter(list, {# != ""})`},
	{`^unexpected`, `¦AND\b|&\s*¦|¦&`, "", "it is written and, or &&"},
	{`^unexpected`, `¦OR\b`, "", "it is written or, or ||"},
	{`^unexpected`, `\bNOT\s*¦`, "", "it is written not, or !"},
	{`^unexpected`, `¦<>|<\s*¦>`, "", "inequality is !="},
	{`^unexpected`, `¦=|¦is\b|=\s*¦=`, "", "equality is =="},
}

var unexpectedToken = `^unexpected token \w+\("(.*)"\)`

// explainSyntax rewrites a message of expr about a byte of the source, with a hint at how to write what
// could not be parsed.
func explainSyntax(theirs, source string, at int) (plain, hint string) {
	at = min(at, len(source))
	marked := source[:at] + "¦" + source[at:]
	plain = regexp.MustCompile(unexpectedToken).ReplaceAllString(theirs, `unexpected "$1"`)
	for _, s := range slips {
		groups, fits := tree.Fit([]string{s.says, s.source}, []string{theirs, marked})
		if !fits {
			continue
		}
		for i, group := range groups {
			groups[i] = tree.Clip(strings.Trim(group, "¦"), 20)
		}
		return cmp.Or(tree.Fill(s.plain, groups), plain), cmp.Or(elsewhere()[strings.Join(groups, " ")], tree.Fill(s.hint, groups))
	}
	return plain, ""
}
