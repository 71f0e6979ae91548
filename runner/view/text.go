package view

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// Brief returns a text of a model, a tool or a service on one line of bounded length. Long
// quotes in it are cut first, so that a message keeps its words, and then its middle, since its
// end often says what is wrong.
func Brief(text string) string { return brief(strings.TrimSpace(text)) }

// brief is Brief with the blanks at both ends.
func brief(text string) string {
	const longest, tail = 320, 140
	text = term.Visible(strings.ReplaceAll(text, "\t", "    "))
	if utf8.RuneCountInString(text) > longest {
		text = quote.ReplaceAllStringFunc(text, shortened)
	}
	runes := []rune(text)
	if len(runes) <= longest {
		return text
	}
	return string(runes[:longest-tail-3]) + " … " + string(runes[len(runes)-tail:])
}

// quote matches a quoted value on one line.
var quote = regexp.MustCompile("\"[^\"]*\"|`[^`]*`")

// shortened cuts the middle of a quoted value that is long.
func shortened(quote string) string {
	const head, tail = 80, 40
	runes := []rune(quote)
	if len(runes) <= head+tail {
		return quote
	}
	return string(runes[:head]) + " … " + string(runes[len(runes)-tail:])
}

// telling matches a line in which compilers, tests and most programs name an error. What comes
// after it is often how to call the program, or a summary.
var telling = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(--- fail|fatal:|panic:|[\w.]*(error|exception)(\[\w+\])?:|[^\s:]+\.\w+:\d+:)`)
})

// Shortest returns the first line of such a text, and of the others the first that names an
// error, or else the last, on one line.
func Shortest(text string) string {
	text = strings.TrimSpace(text)
	first, rest, more := strings.Cut(text, "\n")
	if !more {
		return Brief(first)
	}
	others := strings.Split(rest, "\n")
	i := slices.IndexFunc(others, telling().MatchString)
	if i < 0 {
		i = len(others) - 1
	}
	return Brief(strings.TrimRight(first, " :") + ": " + strings.TrimSpace(others[i]))
}

// maxQuoted is the most lines of a text that are quoted.
const maxQuoted = 12

// Quoted returns the lines of such a text; the first ones if there are many.
func Quoted(text string) []string {
	lines := linesOf(text)
	return quoted(lines[:min(len(lines), maxQuoted)], nil, len(lines))
}

// Ended returns the lines of such a text; the first one and the last ones if there are many.
// It is for failures, whose reason is at the end.
func Ended(text string) []string {
	lines := linesOf(text)
	last := lines[max(len(lines)-maxQuoted+1, min(len(lines), 1)):]
	return quoted(lines[:min(len(lines), 1)], last, len(lines))
}

// linesOf returns the lines of a text with their indentation, without empty lines at both ends.
func linesOf(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// quoted returns the lines from both ends of a text with that many lines, and says how many are
// left out.
func quoted(first, last []string, of int) []string {
	var lines []string
	for _, line := range first {
		lines = append(lines, "  | "+brief(line))
	}
	if len(first)+len(last) < of {
		lines = append(lines, "  | …")
	}
	for _, line := range last {
		lines = append(lines, "  | "+brief(line))
	}
	return lines
}

// joined puts the parts that are not empty on one line.
func joined(parts ...string) string { return given(parts, ": ") }

// listed is joined for parts of the same kind.
func listed(parts ...string) string { return given(parts, ", ") }

func given(parts []string, between string) string {
	isEmpty := func(part string) bool { return part == "" }
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), isEmpty), between)
}
