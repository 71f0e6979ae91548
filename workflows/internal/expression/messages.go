package expression

import (
	"fmt"
	"slices"
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

// syntaxHint shows how to write what could not be parsed. The mistake is at a byte of the
// source, or begins before it.
func syntaxHint(message, source string, at int) string {
	switch {
	case strings.HasPrefix(strings.TrimSpace(source), "{") && !strings.Contains(source, ":"):
		return "an expression has two braces on each side: ${{ … }}"
	case isStatement(source, message == endsTooEarly):
		return elsewhere()["else"]
	case strings.HasPrefix(message, "unexpected "):
		return operatorHint(source, at)
	case strings.HasPrefix(message, "unrecognized character: ") && straight.Replace(source) != source:
		return "in straight quotes: " + tree.Clip(strings.TrimSpace(straight.Replace(source)), 80)
	case message == "expected at least 2 arguments":
		return `behind the list stands what is said of each element: filter(list, # != ""), map(list, .name)`
	case strings.HasSuffix(message, " is no escape in a string"):
		return "write \\\\ for a backslash, or put the text in backquotes, which have no escapes"
	case message == endsTooEarly:
		return endHint(source)
	case strings.HasPrefix(message, `".`) && strings.HasSuffix(message, " is no number"):
		return "an element of a list is list[0]"
	case strings.HasSuffix(message, " is no number"):
		before := source[:min(at, len(source))]
		switch i := strings.LastIndexByte(before, '-'); {
		case i > 0 && strings.HasSuffix(before[:i], "steps.step"):
			return "nothing can refer to a step without an id: give it one"
		case i > 0 && strings.Contains(before[:i], "."):
			return `a name with a dash is written in brackets: steps["a-1"]`
		}
	}
	return ""
}

// isStatement reports whether a text begins as the statements of templates do. What follows
// an if may also be an expression, unless it ends too early.
func isStatement(source string, endsEarly bool) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(source), " ")
	return slices.Contains([]string{"else", "elif", "for", "range", "with"}, first) || first == "if" && endsEarly
}

// straight replaces typographic quotes by straight ones.
var straight = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'", "«", `"`, "»", `"`)

// endHint says what is missing from an expression that ends too early.
func endHint(source string) string {
	var open []byte
	closes := map[byte]byte{'(': ')', '[': ']', '{': '}'}
	for i := range len(source) {
		switch c := source[i]; {
		case closes[c] != 0:
			open = append(open, c)
		case len(open) > 0 && c == closes[open[len(open)-1]]:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 && !strings.ContainsAny(source, "\"'`") {
		last := open[len(open)-1]
		return fmt.Sprintf("its %q is not closed by %q", last, closes[last])
	}
	if at := strings.LastIndex(source, "|"); at > 0 && source[at-1] != '|' {
		if function := strings.TrimSpace(source[at+1:]); function != "" && tree.WordLength(function) == len(function) {
			return "behind | a function is called: " + tree.Clip(function, 20) + "()"
		}
	}
	if words := strings.Fields(source); len(words) > 0 {
		return "something has to follow " + tree.Clip(words[len(words)-1], 20)
	}
	return ""
}

// foreignOperators are operators of other languages, by the text before and behind the
// position that could not be parsed, and how they are written here. The first match counts.
var foreignOperators = []struct{ before, behind, hint string }{
	{"", "=>", "a predicate has no arrow; # is the element: filter(list, {# != \"\"})"},
	{"", "===", "equality is =="},
	{"!=", "=", "it is == or !=, with two characters"},
	{"==", "=", "it is == or !=, with two characters"},
	{"", "=", "equality is =="},
	{"", "<>", "inequality is !="},
	{"<", ">", "inequality is !="},
	{"", "&", "it is written and, or &&"},
	{"&", "", "it is written and, or &&"},
	{",", "", "that is one argument too many; in a predicate # is the element, without a name: filter(list, # != \"\")"},
	{"NOT", "", "it is written not"},
	{"lambda", "", "a predicate is what it gives alone; # is the element: map(list, # + 1)"},
	{"f", `"`, "texts are put together: \"a\" + inputs.b"}, {"f", "'", "texts are put together: \"a\" + inputs.b"},
}

// foreignWords are operators of other languages that are words.
var foreignWords = map[string]string{
	"AND": "it is written and", "OR": "it is written or", "is": "equality is ==, and is not is !=; what is not there is nil",
	"then": "it is written condition ? this : that", "if": "it is written condition ? this : that",
	"for": "it is written map(list, # + 1), or filter(list, # > 1), where # is the element",
}

// operatorHint shows how an operator of another language is written here. The mistake is
// at a byte of the source, or begins before it.
func operatorHint(source string, at int) string {
	if at > len(source) {
		return ""
	}
	behind, before := source[at:], strings.TrimRight(source[:at], " \t\n")
	word := behind[:tree.WordLength(behind)]
	switch {
	case len(behind) > 1 && behind[0] == '.' && isNumeric(behind[1:2]):
		return "an element of a list is list[0]"
	case strings.HasPrefix(behind, ":") && inBraces(before):
		return `braces hold a predicate there; a map in it has braces of its own: {{"name": .name}}`
	case strings.HasPrefix(source, "if "):
		return foreignWords["if"]
	case foreignWords[word] != "":
		return foreignWords[word]
	}
	for _, o := range foreignOperators {
		if strings.HasSuffix(before, o.before) && strings.HasPrefix(behind, o.behind) {
			return o.hint
		}
	}
	return ""
}

// inBraces reports whether a text ends inside the braces of an argument.
func inBraces(before string) bool {
	i := strings.LastIndexAny(before, "{}")
	return i >= 0 && before[i] == '{' && strings.HasSuffix(strings.TrimRight(before[:i], " \t\n"), ",")
}
