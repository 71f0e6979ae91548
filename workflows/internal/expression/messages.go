package expression

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// notANumber begins expr's message for a number that it can't parse.
const notANumber = "bad number syntax: "

const endsTooEarly = "the expression ends too early"

// PlainMessage rewrites a message of expr in flow's words.
func PlainMessage(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	message = plainTypes(message)
	message = plainToken(message)
	if number, ok := strings.CutPrefix(message, notANumber); ok {
		message = number + " is no number"
	}
	for _, r := range [][2]string{
		{"unexpected token EOF", endsTooEarly},
		{"literal not terminated", "the string has no closing quote"},
		{"compilation failed: expression exceeds maximum allowed nodes", fmt.Sprintf("the expression has more than %d parts", maxExpressionNodes)},
		{"map[string]interface {}", "map"},
		{"[]interface {}", "list"},
		{"interface {}", "any value"},
	} {
		message = strings.ReplaceAll(message, r[0], r[1])
	}
	return strings.TrimSpace(message)
}

// absentHint says how a computation can do without a value that is null.
func absentHint(source string) string {
	if strings.Contains(source, ".output") {
		return " (an element that did not succeed has no output; filter(…, # != nil) leaves it out)"
	}
	return " (?? gives a value where there is none)"
}

// nothingHint explains why a value is null of which the expression uses a field.
func nothingHint(source, field string) string {
	if strings.Contains(source, ".results") && strings.Contains(source, ".output") {
		return ` in nothing: an element that did not succeed has no output (take filter(…, .status == "succeeded") first)`
	}
	return fmt.Sprintf(" in nothing (?.%s passes over it)", field)
}

// plainToken removes the kind of an unexpected token from a message.
func plainToken(message string) string {
	const unexpected = "unexpected token "
	before, after, found := strings.Cut(message, unexpected)
	if !found {
		return message
	}
	kind, rest, quoted := strings.Cut(after, `("`)
	end := strings.LastIndex(rest, `")`)
	if !quoted || end < 0 || strings.Contains(kind, " ") {
		return message
	}
	return before + `unexpected "` + rest[:end] + `"` + rest[end+len(`")`):]
}

// syntaxMessage rewrites a message about a byte of the source.
func syntaxMessage(message, source string, at int) string {
	if message == "invalid char escape" {
		if i := strings.LastIndex(source[:min(at, len(source))], "\\"); i >= 0 {
			_, size := utf8.DecodeRuneInString(source[i+1:])
			return source[i:i+1+size] + " is no escape in a string"
		}
	}
	return PlainMessage(message)
}

// noStatements is the hint for the statements of templates and of other languages.
const noStatements = `there are no statements; one of two values is condition ? "this" : "that", and a list in a text join(map(list, "- " + #), "\n")`

// A slip is a mistake that people make: by the message, and by the source, with ¦ where the mistake is.
// In the hint $1 is a group of the second pattern.
type slip struct{ says, source, hint string }

// slips of syntax; the first that fits counts.
var slips = []slip{
	{"", `^\s*¦?\{[^:]*$`, "an expression has two braces on each side: ${{ … }}"},
	{"", `^\s*¦?(?:if|else|elif|for|range|with)\b`, noStatements},
	{"^unexpected", `¦\.\d`, "an element of a list is list[0]"},
	{"^unexpected", `,\s*\{[^{}]*¦:`, `braces hold a predicate there; a map in it has braces of its own: {{"name": .name}}`},
	{"^unexpected", `¦contains\(`, `it goes between its operands: text contains "a"; whether a list has an element is "a" in list`},
	{"^unexpected", `¦(startsWith|endsWith|matches)\(`, `it goes between its operands: text $1 "a"`},
	{"^unexpected", `¦AND\b`, "it is written and"},
	{"^unexpected", `¦OR\b`, "it is written or"},
	{"^unexpected", `\bNOT\s*¦`, "it is written not"},
	{"^unexpected", `¦is\b`, "equality is ==, and is not is !=; what is not there is nil"},
	{"^unexpected", `¦(?:then|if)\b`, "it is written condition ? this : that"},
	{"^unexpected", `¦for\b`, "it is written map(list, # + 1), or filter(list, # > 1), where # is the element"},
	{"^unexpected", `¦=>`, `a predicate has no arrow; # is the element: filter(list, {# != ""})`},
	{"^unexpected", `[!=]=\s*¦=`, "it is == or !=, with two characters"},
	{"^unexpected", `¦=`, "equality is =="},
	{"^unexpected", `¦<>|<\s*¦>`, "inequality is !="},
	{"^unexpected", `&\s*¦|¦&`, "it is written and, or &&"},
	{"^unexpected", `,\s*¦`, `that is one argument too many; in a predicate # is the element, without a name: filter(list, # != "")`},
	{"^unexpected", `\blambda\s*¦`, "a predicate is what it gives alone; # is the element: map(list, # + 1)"},
	{"^unexpected", `\bf\s*¦["']`, `texts are put together: "a" + inputs.b`},
	{"^unrecognized", `[“”„‘’«»]`, `a text stands in straight quotes: "…"`},
	{"^expected at least 2 arguments", "", `behind the list stands what is said of each element: filter(list, # != ""), map(list, .name)`},
	{"is no escape in a string$", "", `write \\ for a backslash, or put the text in backquotes, which have no escapes`},
	{"^" + endsTooEarly, "^[^\"'`]*[(\\[{][^)\\]}\"'`]*$", "a bracket is not closed"},
	{"^" + endsTooEarly, `[^|]\|\s*(\w+)\s*¦?\s*$`, "behind | a function is called: $1()"},
	{"^" + endsTooEarly, `(\S+)\s*¦?\s*$`, "something has to follow $1"},
	{`^"\..* is no number$`, "", "an element of a list is list[0]"},
	{"is no number$", `steps\.step-`, "nothing can refer to a step without an id: give it one"},
	{"is no number$", `\.[\w.]*-`, `a name with a dash is written in brackets: steps["a-1"]`},
}

// syntaxHint shows how to write what could not be parsed. The mistake is at a byte of the
// source, or begins before it.
func syntaxHint(message, source string, at int) string {
	at = min(at, len(source))
	marked := source[:at] + "¦" + source[at:]
	for _, s := range slips {
		if found := regexp.MustCompile(s.source).FindStringSubmatch(marked); found != nil && regexp.MustCompile(s.says).MatchString(message) {
			return strings.ReplaceAll(s.hint, "$1", tree.Clip(strings.Trim(found[len(found)-1], "¦"), 20))
		}
	}
	return ""
}
