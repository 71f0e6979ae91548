// Package bash parses scripts as bash does, and none so deep that the parser, which
// calls itself for each level, would use up its stack: that ends the whole program.
package bash

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// MaxNesting is how many brackets may be open at once, those in quotes and comments
// included.
const MaxNesting = 1000

// maxOpened bounds the brackets of a whole script: one that is closed in a comment or
// behind a backslash may be open nevertheless.
const maxOpened = 100_000

// ErrTooDeep is why a script is not parsed.
var ErrTooDeep = fmt.Errorf("it is nested more than %d levels deep", MaxNesting)

// Parse parses a script. Its errors are those of the parser, and [ErrTooDeep].
func Parse(script string, options ...syntax.ParserOption) (*syntax.File, error) {
	if TooDeep(script) {
		return nil, ErrTooDeep
	}
	return syntax.NewParser(append(options, syntax.Variant(syntax.LangBash))...).Parse(strings.NewReader(script), "")
}

// TooDeep reports whether a script may nest deeper than a parser should follow.
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
