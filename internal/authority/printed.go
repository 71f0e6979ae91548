package authority

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
)

// lineOf is the first line of a text that is not empty, with runs of blanks as one, and the number
// of the other lines that are not empty.
func lineOf(text string) string {
	const most = 120
	line, rest := "", 0
	for next := range strings.Lines(text) {
		next = strings.Join(strings.FieldsFunc(strings.TrimRight(next, "\r\n"), func(r rune) bool { return r == ' ' || r == '\t' }), " ")
		switch {
		case next == "":
		case line == "":
			line = next
		default:
			rest++
		}
	}
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + " …"
	}
	if rest > 0 {
		line += fmt.Sprintf(" (+%s)", quantity.Count(rest, "line"))
	}
	return line
}

// shortened matches the mark that lineOf leaves in a shortened text.
var shortened = regexp.MustCompile(` …|\(\+[0-9,]+ lines?\)`)

// IsShortened reports whether a line of an authority shows only a part of a command.
func IsShortened(line string) bool { return shortened.MatchString(line) }

// uncommented is a script without its leading comments. Later ones stay: they may be text within
// quotes, or another program's input.
func uncommented(script string) string {
	for rest := script; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		line = strings.TrimLeft(line, " \t") // what a shell takes for blank, and no more
		if strings.TrimRight(line, "\r") != "" && line[0] != '#' {
			return rest
		}
		rest = after
	}
	return script
}

// parts joins texts into a part of a line. A text with one of the marks is quoted, so that nobody
// reads it as several.
func parts(texts []string, marks ...string) string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		if slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) }) {
			texts[i] = strconv.Quote(text)
		}
	}
	return strings.Join(texts, ", ")
}

// show makes invisible characters in all texts of an authority visible to the person who decides.
func show(a *Authority) { showValue(reflect.ValueOf(a).Elem()) }

func showValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(term.Visible(v.String()))
	case reflect.Slice:
		for i := range v.Len() {
			showValue(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			showValue(v.Field(i))
		}
	}
}
