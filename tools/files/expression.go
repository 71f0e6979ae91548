package files

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// compileLine compiles a pattern that is matched within lines. It can be run
// over many lines at once: nothing in it matches a newline, and $ stands before
// \r\n too.
func compileLine(pattern string) (*lineExpression, error) {
	const flags = syntax.Perl &^ syntax.OneLine // ^ and $ are those of lines
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, fmt.Errorf("the pattern is no RE2 regular expression (no look-around, no back-references; \\ takes the meaning from a character): %w", err)
	}
	re, err := regexp.Compile(withinLine(tree).String())
	if err != nil {
		return nil, fmt.Errorf("the pattern: %w", err)
	}
	return &lineExpression{re}, nil
}

type lineExpression struct{ re *regexp.Regexp }

// withinLine changes an expression so that it ends where a line ends.
func withinLine(re *syntax.Regexp) *syntax.Regexp {
	for i, sub := range re.Sub {
		re.Sub[i] = withinLine(sub)
	}
	switch re.Op {
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpCharClass:
		re.Rune = withoutNewline(re.Rune)
		if len(re.Rune) == 0 {
			re.Op = syntax.OpNoMatch
		}
	case syntax.OpLiteral:
		if slices.Contains(re.Rune, '\n') {
			return &syntax.Regexp{Op: syntax.OpNoMatch}
		}
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText, syntax.OpEndLine:
		cr := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{'\r'}}
		end := &syntax.Regexp{Op: syntax.OpEndLine}
		return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{{Op: syntax.OpQuest, Sub: []*syntax.Regexp{cr}}, end}}
	}
	return re
}

// withoutNewline takes \n out of the pairs of a class.
func withoutNewline(pairs []rune) []rune {
	var rest []rune
	for i := 0; i < len(pairs); i += 2 {
		from, to := pairs[i], pairs[i+1]
		if from > '\n' || to < '\n' {
			rest = append(rest, from, to)
			continue
		}
		if from < '\n' {
			rest = append(rest, from, '\n'-1)
		}
		if to > '\n' {
			rest = append(rest, '\n'+1, to)
		}
	}
	return rest
}
