// Package bash parses scripts as bash does. It refuses scripts that are nested so deep that
// the recursive parser would overflow its stack, which would end the whole program.
package bash

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// MaxNesting is how many brackets may be open at once, counting those in quotes and
// comments.
const MaxNesting = 1000

// maxOpened is how many brackets a script may have: one that is closed only in a comment,
// or after a backslash, is still open.
const maxOpened = 100_000

// ErrTooDeep is the error for a script that is nested too deep.
var ErrTooDeep = fmt.Errorf("it is nested more than %d levels deep", MaxNesting)

// Parse parses a script. It returns the parser's error, or [ErrTooDeep].
func Parse(script string, options ...syntax.ParserOption) (*syntax.File, error) {
	if TooDeep(script) {
		return nil, ErrTooDeep
	}
	return syntax.NewParser(append(options, syntax.Variant(syntax.LangBash))...).Parse(strings.NewReader(script), "")
}

// TooDeep reports whether a script may be nested too deep to be parsed.
func TooDeep(script string) bool {
	depth, opened := 0, 0
	for i := range len(script) {
		switch script[i] {
		case '(', '{', '[':
			depth, opened = depth+1, opened+1
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
		if depth > MaxNesting || opened > maxOpened {
			return true
		}
	}
	return false
}
