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

// Shortest is such a text on one line: the first of its lines, and the last.
func Shortest(text string) string {
	text = strings.TrimSpace(text)
	first, rest, more := strings.Cut(text, "\n")
	if !more {
		return Brief(first)
	}
	return Brief(strings.TrimRight(first, " :") + ": " + rest[strings.LastIndexByte(rest, '\n')+1:])
}

// mostQuoted bounds the lines of a text that is quoted.
const mostQuoted = 12

// Quoted is such a text on lines of its own: the first ones, where there are many.
func Quoted(text string) []string {
	lines := linesOf(text)
	return quoted(lines[:min(len(lines), mostQuoted)], nil, len(lines))
}

// Ended is such a text on lines of its own: the first one and the last ones, where
// there are many. That is for what went wrong, which stands at the end.
func Ended(text string) []string {
	lines := linesOf(text)
	last := lines[max(len(lines)-mostQuoted+1, min(len(lines), 1)):]
	return quoted(lines[:min(len(lines), 1)], last, len(lines))
}

func linesOf(text string) []string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// quoted gives the lines from both ends of a text of so many, and says where some are
// left out.
func quoted(first, last []string, of int) []string {
	var lines []string
	for _, line := range first {
		lines = append(lines, "  | "+Brief(line))
	}
	if len(first)+len(last) < of {
		lines = append(lines, "  | …")
	}
	for _, line := range last {
		lines = append(lines, "  | "+Brief(line))
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
