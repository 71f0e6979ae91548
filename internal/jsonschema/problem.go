package jsonschema

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// A Problem is one mistake in a value, or in a schema.
type Problem struct {
	Path    string // JSON pointer to the part that is wrong; "" is the whole
	Keyword string // that the value does not fit, such as "required"; "" where it is none
	At      string // JSON pointer to that keyword in the schema; "" for a problem of a schema itself
	Message string // what was found, what is allowed, and what may have been meant
}

// String returns the path, unless it is "", and the message.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// An Error is why a schema can't be used: one problem or more, at most 20, in the order of
// the schema's keys.
type Error struct {
	Problems []Problem
	Doubts   []Doubt // beside them
}

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
	for i, t := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens
}

// below returns the pointer to a key of the object at which at points.
func below(at, key string) string {
	if strings.ContainsAny(key, "~/") {
		key = strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
	}
	return at + "/" + key
}

// hint adds the nearest of some names to a message, or lists them if they are few.
func hint(message, name string, names []string) string {
	if near := nearest.Of(name, names); near != "" {
		return fmt.Sprintf("%s (did you mean %q?)", message, near)
	}
	if len(names) == 0 {
		return message
	}
	return clip(message + "; there are " + strings.Join(names, ", "))
}

// clip shortens a message that quotes a value.
func clip(s string) string { return clipTo(s, 500) }

// clipTo shortens a text to some bytes, without cutting a character in two.
func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
