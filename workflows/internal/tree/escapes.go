package tree

import (
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A badEscape is \x, \u or \U without the digits that it takes: C:\Users, mostly. The
// YAML library makes something of it.
type badEscape struct {
	line, column int
	letter       byte
	digits       int // that it takes
}

// badEscapes finds those of a file, wherever they stand, in its order.
func badEscapes(src *Source) []badEscape {
	var found []badEscape
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}
	for i, text := range strings.Split(src.text, "\n") {
		column, counted := 0, 0
		for at := 0; at+1 < len(text); at++ {
			if text[at] != '\\' {
				continue
			}
			at++ // a backslash behind it is escaped by it
			count := digits[text[at]]
			behind := text[at+1:]
			if len(behind) < count || strings.Trim(behind[:count], "0123456789abcdefABCDEF") != "" {
				column, counted = column+utf8.RuneCountInString(text[counted:at]), at
				found = append(found, badEscape{i + 1, column, text[at], count})
			}
		}
	}
	return found
}

// reportEscapes reports the first of them in double quotes, if there is one.
func reportEscapes(src *Source, bad []badEscape, tokens token.Tokens, r *Report) bool {
	for i, tk := range tokens {
		for len(bad) > 0 && !before(tk.Position, bad[0]) {
			bad = bad[1:]
		}
		if len(bad) == 0 {
			return false
		}
		if isQuoted(src, tk) && (i+1 == len(tokens) || !before(tokens[i+1].Position, bad[0])) {
			at := &token.Position{Line: bad[0].line, Column: bad[0].column}
			r.errorAt(src, at, diagnostic.CodeSyntax, `no valid YAML: \%c in double quotes takes %d hexadecimal digits`, bad[0].letter, bad[0].digits).Hint = noEscape
			return true
		}
	}
	return false
}

// isQuoted reports whether a token is a text in double quotes, or what begins as one and
// seems to have no end, for its closing quote was taken for a digit.
func isQuoted(src *Source, tk *token.Token) bool {
	return tk.Type == token.DoubleQuoteType || tk.Type == token.InvalidType && strings.HasPrefix(src.From(tk.Position.Line, tk.Position.Column), `"`)
}

// before reports whether a token begins before an escape.
func before(at *token.Position, e badEscape) bool {
	return at.Line < e.line || at.Line == e.line && at.Column < e.column
}
