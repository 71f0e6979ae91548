package term

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/columns"
)

// Visible returns a text of a model, a tool or a file that is safe to show: on one line, with escapes
// for control characters and invisible ones.
func Visible(text string) string {
	if !strings.ContainsFunc(text, columns.Hidden) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		shown := text[:size]
		if columns.Hidden(r) || r == utf8.RuneError && size == 1 {
			quoted := strconv.QuoteToASCII(shown)
			shown = quoted[1 : len(quoted)-1]
		}
		b.WriteString(shown)
		text = text[size:]
	}
	return b.String()
}

// VisibleLines is [Visible] for a text of several lines. It keeps their ends.
func VisibleLines(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(Visible(strings.ReplaceAll(line, "\t", "    ")), "\u00a0", " ")
	}
	return strings.Join(lines, "\n")
}

// Shorten cuts a text to at most n characters, with a mark where it was cut.
func Shorten(text string, n int) string {
	if len(text) <= n || utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	return string(runes[:max(n-1, 0)]) + "…"
}
