package view

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// Brief is a text of a model, a tool or a service on one line of bounded length.
// What is wrong often stands at its end, so that is kept too.
func Brief(text string) string {
	const longest, tail = 240, 100
	text = term.Visible(strings.ReplaceAll(strings.TrimSpace(text), "\t", "    "))
	runes := []rune(text)
	if len(runes) <= longest {
		return text
	}
	return string(runes[:longest-tail-3]) + " … " + string(runes[len(runes)-tail:])
}

// Quoted is such a text on lines of its own, of which there are not many.
func Quoted(text string) []string {
	const most = 12
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		if len(lines) == most {
			return append(lines, "  | …")
		}
		lines = append(lines, "  | "+Brief(strings.TrimRight(line, "\r\n")))
	}
	return lines
}

// joined puts what is given of the parts on one line.
func joined(parts ...string) string {
	var given []string
	for _, part := range parts {
		if part != "" {
			given = append(given, part)
		}
	}
	return strings.Join(given, ": ")
}
