package tree

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// expressionKey matches a key in braces whose value is an expression, up to the value.
var expressionKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[{,]\s*((?:if|until|when|expr|foreach):\s+)`) })

// unquotedExpression finds an expression in a map in braces that YAML reads as something else, since it has
// a comma, the beginning of a comment or ": " in it. It returns the column, from 1, where it begins, and the
// key with the expression in quotes; "" for none.
func unquotedExpression(line string) (column int, quoted string) {
	for _, at := range expressionKey().FindAllStringSubmatchIndex(line, -1) {
		value := inBraces(line[at[3]:])
		if value == "" || strings.IndexByte(`"'`, value[0]) >= 0 || !strings.ContainsAny(value, ",#{") && !strings.Contains(value, ": ") {
			continue
		}
		return 1 + utf8.RuneCountInString(line[:at[3]]), line[at[2]:at[3]] + quotedYAML(value)
	}
	return 0, ""
}

// inBraces returns the beginning of a text that is a value in braces: up to a comma or a brace that is in
// no brackets and no string of its own.
func inBraces(text string) string {
	depth, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0 && depth > 0:
			depth--
		case depth == 0 && (c == ',' || c == '}'):
			return strings.TrimSpace(text[:i])
		}
	}
	return strings.TrimSpace(text)
}
