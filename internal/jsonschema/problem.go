package jsonschema

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// A Problem is one thing that is wrong with a value, or with a schema.
type Problem struct {
	Path    string // JSON pointer to the part that is wrong; "" is the whole
	Keyword string // that the value does not fit, such as "required"; "" where it is none
	At      string // JSON pointer to that keyword in the schema; "" for a problem of a schema itself
	Message string // what was found, what is allowed, and what may have been meant
}

// String gives the path, unless it is "", and the message.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Error is why a schema can't be used: one problem or more, in the order of the
// schema's keys, at most 20.
type Error struct {
	Problems []Problem
	Doubts   []Doubt // beside them
}

// Error gives all problems in one line.
func (e *Error) Error() string { return joined(e.Problems) }

// joined puts problems in one line.
func joined(problems []Problem) string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "; ")
}

// mostProblems are told of one value, or of one schema.
const mostProblems = 20

// A list of problems that is bounded, and holds each only once.
type list struct {
	problems []Problem
	more     int // that are not in it
}

// full reports whether no more problems are kept, so that none has to be worded.
func (l *list) full() bool { return len(l.problems) == mostProblems }

// add keeps a problem once, or counts it where the list is full.
func (l *list) add(p Problem) {
	switch {
	case l.full():
		l.more++
	case !slices.Contains(l.problems, p):
		l.problems = append(l.problems, p)
	}
}

// Tokens splits a JSON pointer into the keys and indexes that it is made of.
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

// below gives the pointer to a key of what at points to.
func below(at, key string) string {
	if strings.ContainsAny(key, "~/") {
		key = strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
	}
	return at + "/" + key
}

// hint adds the nearest of names to a message, or lists them when they are few.
func hint(message, name string, names []string) string {
	if near := nearest.Of(name, names); near != "" {
		return fmt.Sprintf("%s (did you mean %q?)", message, near)
	}
	if len(names) == 0 {
		return message
	}
	return clip(message + "; there are " + strings.Join(names, ", "))
}

// clip keeps a message short that quotes a value.
func clip(s string) string { return clipTo(s, 500) }

// clipTo cuts behind a whole character.
func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
