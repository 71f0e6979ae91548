package host

import (
	"os"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// findings are the diagnostics of checks outside package workflows. A problem at the top of a file
// is found with each of its steps; sorting the diagnostics leaves it once. The zero value is empty.
type findings struct {
	found workflows.Diagnostics
	lines map[string][]string // of the files that some of them are about
}

// add keeps a diagnostic.
func (f *findings) add(at workflows.Position, severity workflows.Severity, code, message, hint string) {
	f.keep(at, workflows.Diagnostic{Severity: severity, Code: code, Message: message, Hint: hint})
}

// keep adds a diagnostic with its line.
func (f *findings) keep(at workflows.Position, d workflows.Diagnostic) {
	d.File, d.Line, d.Column = at.File, at.Line, at.Column
	d.Source = f.line(at)
	d.Length = markOf(d)
	f.found = append(f.found, d)
}

// markOf is how many characters are marked: the word at the position, if the message names it.
func markOf(d workflows.Diagnostic) int {
	line := []rune(d.Source)
	word := string(line[min(max(d.Column-1, 0), len(line)):])
	quotes := 0
	if bare := strings.TrimLeft(word, `"'`); bare != word {
		word, quotes = bare, 2
	}
	if i := strings.IndexAny(word, " \t\"',]}#"); i >= 0 {
		word = word[:i]
	}
	if word == "" || !strings.Contains(d.Message, word) {
		return 0
	}
	return utf8.RuneCountInString(word) + quotes
}

// line is one line of a file that was read before; "" if it is gone since.
func (f *findings) line(at workflows.Position) string {
	lines, read := f.lines[at.File]
	if !read {
		data, _ := os.ReadFile(at.File)
		lines = strings.Split(string(data), "\n")
		if f.lines == nil {
			f.lines = map[string][]string{}
		}
		f.lines[at.File] = lines
	}
	if at.Line < 1 || at.Line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[at.Line-1], "\r")
}
