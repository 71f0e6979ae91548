package tree

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// A misread is a part of a file that the YAML library can't parse.
type misread struct {
	src           *Source
	at            *token.Position
	message       string // of the library
	line, trimmed string // where it begins, as it is and without space around it
	rest          string // of the line, from there on
}

// says reports whether the library's message contains some words.
func (m *misread) says(words string) bool { return strings.Contains(m.message, words) }

// explainSyntax rewrites a message of the YAML library for people who don't know all of
// YAML, with a hint at what was meant, which may be "".
func explainSyntax(src *Source, at *token.Position, message string) (plain, hint string) {
	rest, _, _ := strings.Cut(src.From(at.Line, at.Column), "\n")
	m := &misread{src: src, at: at, message: message, line: src.line(at.Line), rest: strings.TrimSpace(rest)}
	m.trimmed = strings.TrimSpace(m.line)
	for _, explain := range []func(*misread) (plain, hint string){explainSpaces, explainBraces, explainQuotes, explainIndent} {
		if plain, hint := explain(m); hint != "" {
			return plain, hint
		}
	}
	return plainSyntax(message), ""
}

// NoWordForAll is the hint for a word, or a *, that is to stand for all tools.
const NoWordForAll = "there is no word for all tools: list them, as in [read, grep, write]"

const noBreakSpace = '\u00a0'

// explainSpaces explains tabs and missing spaces.
func explainSpaces(m *misread) (plain, hint string) {
	dashed, isItem := strings.CutPrefix(m.trimmed, "-")
	name, value, _ := strings.Cut(strings.TrimLeft(m.trimmed, "- "), ":")
	word, behind, _ := strings.Cut(name, " ")
	switch {
	case strings.ContainsRune(m.line, noBreakSpace):
		return "the line has a no-break space (U+00A0), which is no space to YAML", "write " + Clip(strings.ReplaceAll(m.trimmed, string(noBreakSpace), " "), 120)
	case name == "tools" && strings.TrimSpace(value) == "*":
		return "a * alone is an alias without a name", NoWordForAll
	case m.says("unexpected key name") && value == "" && behind != "" && beginsStep(word+": "+behind):
		return "a key ends with a colon", "write " + word + ": " + Clip(behind, 40)
	case m.says(`'	'`):
		return "a tab begins the line", "indent with spaces: YAML takes no tabs there"
	case isItem && beginsStep(dashed):
		return "a dash without a space behind it begins no item", "write - " + Clip(dashed, 40)
	case (m.says("unexpected key name") || m.says("non-map value")) && keyAlone(m.trimmed, ":") && value != "" && value[0] != ' ':
		return "a colon without a space behind it ends no key", "write " + name + ": " + Clip(value, 40)
	case m.says("not allowed in this context") && strings.HasPrefix(m.rest, "- "):
		return "this line is indented like none above it", "the items of one list begin in the same column"
	}
	return "", ""
}

const noEscape = `write \\ for a backslash, or put the text in single quotes`

// explainQuotes explains a text that needs quotes, or has too many.
func explainQuotes(m *misread) (plain, hint string) {
	if hint := quoteHint(m.line, m.rest); hint != "" {
		return plainSyntax(m.message), hint
	}
	_, char, _ := strings.Cut(m.message, "unknown escape character ")
	value := plainValue(m.line)
	switch {
	case m.says("could not find end character of") && strings.Contains(value, ": "):
		return plainSyntax("mapping value is not allowed"), "quote the text: " + quotedYAML(value)
	case char != "":
		return `\` + strings.Trim(char, "'") + " is no escape in double quotes", noEscape
	case m.says("not enough length for escaped"):
		return `\x, \u and \U in double quotes take hexadecimal digits`, noEscape
	case m.says("map key-value is pre-defined") && strings.Contains(m.line, "'"):
		return "there is text behind the closing quote", "between single quotes write '' for a single quote"
	}
	return "", ""
}

// openQuote returns the position of a quote that is not closed in its line, so that the quote of
// a later line closes it and the text behind that one is no YAML; nil for none.
func openQuote(src *Source, at *token.Position, message string) *token.Position {
	if !strings.Contains(message, "map key-value is pre-defined") && !strings.Contains(message, "value is not allowed in this context") {
		return nil
	}
	for line := at.Line - 1; line > 0; line-- {
		text := src.line(line)
		key, value, _ := strings.Cut(text, ": ")
		switch value = strings.TrimSpace(value); {
		case !strings.ContainsAny(text, `"'`):
		case value != "" && strings.IndexByte(`"'`, value[0]) >= 0 && strings.Count(text, value[:1]) == 1 && strings.Contains(src.line(at.Line), value[:1]):
			return &token.Position{Line: line, Column: utf8.RuneCountInString(key) + len(": ") + 1}
		default:
			return nil
		}
	}
	return nil
}

// explainIndent explains lines that begin in the wrong column.
func explainIndent(m *misread) (plain, hint string) {
	above := strings.TrimSpace(m.src.line(m.at.Line - 1))
	switch {
	case m.says("non-map value") && (strings.HasSuffix(above, "|") || strings.HasSuffix(above, ">")):
		return "the text below " + above[len(above)-1:] + " is not indented", "its lines begin deeper than the key that it belongs to"
	case m.says("mapping value is not allowed") && deeperKey(m.src, m.at.Line):
		return "the key below is indented deeper than this one", "the keys of one map begin in the same column"
	case m.says("not allowed in this context") && strings.Contains(m.rest, ":"):
		return "this line is indented like none above it", "the keys of one map begin in the same column"
	}
	return "", ""
}

// explainBraces explains what goes wrong in quotes and in a map in braces.
func explainBraces(m *misread) (plain, hint string) {
	switch {
	case strings.HasPrefix(m.trimmed, "{%"):
		return "a file is no template: {% means nothing here", "a step has its condition under if, and its loop under foreach"
	case m.says("value is not allowed in this context. map key-value") && strings.Count(m.line, `"`) > 2:
		return "there is text behind the closing quote", `put the whole text in single quotes, or write \" for a quote inside of double quotes`
	case !m.says("',' or '}' must be specified") && !m.says("',' or ']' must be specified"):
	case strings.HasPrefix(m.rest, "${{"), strings.HasPrefix(m.rest, "{{") && strings.Contains(m.line, "${{"):
		return "an expression in a map in braces needs quotes", "such as {name: '${{ … }}'}"
	case strings.HasPrefix(m.rest, "- ") || keyAlone(m.rest, ":") && m.trimmed == m.rest:
		if m.says("']'") {
			return "the [ of a line above is not closed", "close it with ]"
		}
		return "the { of a line above is not closed", "close it with }"
	}
	return "", ""
}

// beginsStep reports whether a text is a key that a step often begins with, and a value.
func beginsStep(text string) bool {
	key, _, found := strings.Cut(text, ": ")
	return found && slices.Contains([]string{"id", "run", "prompt", "uses", "tool", "foreach", "if", "needs", "name"}, key)
}

// keyAlone reports whether a text begins with a key of the format and end.
func keyAlone(text, end string) bool {
	key, _, found := strings.Cut(strings.TrimLeft(text, "- "), end)
	return found && key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// plainValue returns the value in a line of key and value, if it is not in quotes or
// brackets; "" for other lines.
func plainValue(line string) string {
	_, value, _ := strings.Cut(line, ": ")
	if value = strings.TrimSpace(value); value == "" || strings.IndexByte(`"'{[|>#&*!`, value[0]) >= 0 {
		return ""
	}
	return value
}

// deeperKey reports whether a line is a whole key and value, and the one below it a
// key that is indented further.
func deeperKey(src *Source, line int) bool {
	text := src.line(line)
	key := strings.TrimLeft(text, "- ")
	if _, value, _ := strings.Cut(key, ": "); strings.Contains(value+" ", ": ") {
		return false
	}
	below := src.line(line + 1)
	name := strings.TrimLeft(below, " ")
	return len(below)-len(name) > len(text)-len(key) && strings.Contains(name+" ", ": ") && !strings.HasPrefix(name, "#")
}

// plainSyntax rewrites the library's most frequent messages.
func plainSyntax(message string) string {
	words := []struct{ has, plain string }{
		{"mapping value is not allowed", `": " inside of a text without quotes would begin a map`},
		{"sequence end token ']' not found", "the [ is not closed"},
		{"could not find flow map content", "a key is expected in the braces"},
		{"could not find end character of double-quoted text", "the double quote is not closed"},
		{"could not find end character of single-quoted text", "the single quote is not closed"},
		{"is a reserved character", "a text without quotes can't begin with this character"},
		{"unexpected scalar value type", "a text without quotes can't begin with this character"},
	}
	for _, w := range words {
		if strings.Contains(message, w.has) {
			return w.plain
		}
	}
	return message
}

// quoteHint says what in a line needs quotes, where a text contains characters that mean
// something to YAML.
func quoteHint(line, rest string) string {
	trimmed := strings.TrimLeft(strings.TrimSpace(line), "- ")
	switch {
	case rest == "":
		return ""
	case strings.Contains(line, "{{") && !strings.Contains(line, "${{"):
		return "expressions are written ${{ … }}"
	case rest[0] == '!' && strings.ContainsAny(rest, "(.="):
		return `to YAML ! begins a tag; write "not ", or quote the text: ` + quotedYAML(rest)
	case rest[0] == '!':
		return "to YAML ! begins a tag; quote the text: " + quotedYAML(rest)
	case strings.HasPrefix(trimmed, "*"):
		pattern, _, _ := strings.Cut(trimmed, ":")
		return "to YAML * begins an alias; quote the text: " + quotedYAML(pattern)
	case strings.HasSuffix(strings.TrimSuffix(strings.TrimRight(line, " "), rest), "*"):
		return "to YAML * begins an alias; quote the text: " + quotedYAML(endOfWord("*"+rest))
	case rest[0] == '*':
		return "to YAML * begins an alias; quote the text: " + quotedYAML(endOfWord(rest))
	case strings.IndexByte("@`%&", rest[0]) >= 0:
		return "quote the text: " + quotedYAML(rest)
	case rest[0] == '[' && strings.Contains(rest, " #"):
		return "# begins a comment; quote a text that begins with it"
	case strings.Contains(rest, ": ") && strings.IndexByte(`"'{[|>`, rest[0]) < 0 && strings.Contains(strings.TrimSuffix(trimmed, rest), ": "):
		return "quote the text: " + quotedYAML(rest)
	}
	return ""
}

// endOfWord cuts a text in brackets at the end of its element.
func endOfWord(s string) string {
	s, _, _ = strings.Cut(s, ": ")
	if i := strings.IndexAny(s, ",}]"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// quotedYAML writes a text of one line in single quotes, which need no escapes.
func quotedYAML(s string) string {
	return "'" + strings.ReplaceAll(Clip(s, 80), "'", "''") + "'"
}
