package tree

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

const (
	noBreakSpace = '\u00a0'
	firstKeys    = `id|run|prompt|uses|tool|foreach|if|needs|name`
)

// A slip is a mistake of YAML. Its three patterns are for the library's message, for the line, and for
// what is around the mistake: the line above, the text up to it, ¦, the text from there on, the line below.
// plain says what is wrong, and is "" where the library says it well enough. In it and in the hint $1 and $2
// are groups of the patterns, and $q is the first in quotes.
type slip struct{ says, line, around, plain, hint string }

// slips are those that people make; the first that fits counts.
var slips = []slip{
	{line: `\x{a0}`, plain: "the line has a no-break space (U+00A0), which is no space to YAML", hint: "put plain spaces in its place"},
	{says: `'\t'`, plain: "a tab begins the line", hint: "indent with spaces: YAML takes no tabs there"},
	{line: `^\s*-((?:` + firstKeys + `): .*)`, plain: "a dash without a space behind it begins no item", hint: "write - $1"},
	{says: `unexpected key name`, line: `^[\s-]*(` + firstKeys + `) ([^:]+)$`, plain: "a key ends with a colon", hint: "write $1: $2"},
	{says: `unexpected key name|non-map value`, line: `^[\s-]*([a-z_]+):(\S.*)$`, plain: "a colon without a space behind it ends no key", hint: "write $1: $2"},
	{line: `^\s*\{%`, plain: "a file is no template: {% means nothing here", hint: "a step has its condition under if, and its loop under foreach"},
	{says: `value is not allowed in this context. map key-value|map key-value is pre-defined`, line: `".*".*"|'`, plain: "there is text behind the closing quote", hint: "put the whole text in quotes, and write a quote inside of them twice, or as \\\""},
	{says: `must be specified`, line: `\$\{\{`, around: `¦\$?\{\{`, plain: "an expression in a map in braces needs quotes", hint: "such as {name: '${{ … }}'}"},
	{says: `'\]' must be specified|sequence end token`, plain: "the [ is not closed", hint: "close it with ]"},
	{says: `'}' must be specified`, plain: "the { is not closed", hint: "close it with }"},
	{line: `(?:^|[^$])\{\{`, hint: "expressions are written ${{ … }}"},
	{around: `¦(!.*)`, hint: `to YAML ! begins a tag, and "no" is written not in expressions; quote the text: $q`},
	{line: `^[\s-]*(\*[^:\s]*):`, hint: "to YAML * begins an alias; quote the text: $q"},
	{around: `(\*¦?[^,}\]\s:*¦]*\**[^,}\]\s:¦]*)`, says: `^$|alias|reserved|flow map|scalar value|not allowed`, plain: "a text without quotes can't begin with *", hint: "to YAML * begins an alias; quote the text: $q"},
	{around: "¦([@`%&].*)", plain: "a text without quotes can't begin with this character", hint: "quote the text: $q"},
	{around: `: [^\n]*¦([^"'{\[|>\n].*: .*)`, plain: `": " inside of a text without quotes would begin a map`, hint: "quote the text: $q"},
	{says: `could not find end character of`, line: `: ([^"'{\[|>#&*!].*: .*)`, plain: `": " inside of a text without quotes would begin a map`, hint: "quote the text: $q"},
	{says: `unknown escape character|not enough length for escaped|end character of double-quoted`, line: `\\`, plain: `a backslash in double quotes begins an escape, such as \n or \u00e9`, hint: `write \\ for a backslash, or put the text in single quotes`},
	{says: `could not find end character of`, plain: "the quote is not closed", hint: "close it where the text ends"},
	{says: `non-map value`, around: `([|>])\s*\n`, plain: "the text below $1 is not indented", hint: "its lines begin deeper than the key that it belongs to"},
	{says: `mapping value is not allowed`, around: `¦[^\n:]*\n\s+[a-z_-]+:`, plain: "the key below is indented deeper than this one", hint: "the keys of one map begin in the same column"},
	{says: `not allowed in this context`, around: `¦[^\n]*:|¦- `, plain: "this line is indented like none above it", hint: "the keys of one map, and the items of one list, begin in the same column"},
}

// explainSyntax rewrites a message of the YAML library for people who don't know all of
// YAML, with a hint at what was meant, which may be "".
func explainSyntax(src *Source, at *token.Position, message string) (plain, hint string) {
	line := src.line(at.Line)
	rest, _, _ := strings.Cut(src.From(at.Line, at.Column), "\n")
	around := src.line(at.Line-1) + "\n" + strings.TrimSuffix(line, rest) + "¦" + rest + "\n" + src.line(at.Line+1)
	for _, s := range slips {
		groups, fits := Fit([]string{s.says, s.line, s.around}, []string{message, line, around})
		if !fits {
			continue
		}
		for i, group := range groups {
			groups[i] = Clip(strings.TrimSpace(strings.ReplaceAll(group, "¦", "")), 80)
		}
		return cmp.Or(Fill(s.plain, groups), message), Fill(s.hint, groups)
	}
	return message, ""
}

// quotedYAML writes a text of one line in single quotes, which need no escapes.
func quotedYAML(s string) string {
	return "'" + strings.ReplaceAll(Clip(s, 80), "'", "''") + "'"
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
