package jsonschema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// A Problem is one mistake in a value, or in a schema.
type Problem struct {
	Path    string // JSON pointer to the part that is wrong; "" is the whole
	Keyword string // of the schema that the value does not fit, such as "required"
	Name    string // of the property that is not known, where that is the problem
	Message string // what was found, what is allowed, and what may have been meant
}

// String returns the path, unless it is "", and the message.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// An Error is why a schema can't be used.
type Error struct{ Problems []Problem }

// Error returns all problems in one line.
func (e *Error) Error() string { return joined(e.Problems) }

// joined returns problems in one line.
func joined(problems []Problem) string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "; ")
}

// maxProblems bounds the problems that are reported of one value or schema.
const maxProblems = 20

// A list is a bounded list of different problems.
type list struct {
	problems []Problem
	more     int // that are not in it
}

// full reports whether the list takes no more problems.
func (l *list) full() bool { return len(l.problems) == maxProblems }

// add adds a problem, once, or only counts it if the list is full.
func (l *list) add(p Problem) {
	switch {
	case l.full():
		l.more++
	case !slices.Contains(l.problems, p):
		l.problems = append(l.problems, p)
	}
}

// Tokens splits a JSON pointer into its keys and indexes.
func Tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer, "/")[1:]
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for i, t := range tokens {
		tokens[i] = unescape.Replace(t)
	}
	return tokens
}

// pointer returns the JSON pointer of keys and indexes.
func pointer(tokens []string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString("/" + escape.Replace(t))
	}
	return b.String()
}

// nearestOf is what a message adds about a name that is none of some: the nearest, or all.
func nearestOf(name string, names []string) string {
	if near := nearest.Of(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	if len(names) == 0 {
		return ""
	}
	return "; there are " + strings.Join(names, ", ")
}

// orList joins names as in a sentence.
func orList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// clip shortens a message that quotes a value.
func clip(s string) string { return clipTo(s, 500) }

// clipTo shortens a text to some bytes, without cutting a character in two.
func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
