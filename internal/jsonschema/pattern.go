package jsonschema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// A pattern is a regular expression in a schema.
type pattern struct {
	text     string
	compiled *regexp.Regexp // nil: it can't be checked
	size     int            // about how much of it there is to try at each character
}

// maxInstructions bounds the size of all patterns in a schema together, with their
// repetitions expanded.
const maxInstructions = 200_000

// pattern compiles a regular expression. One that Go does not support, because it needs more
// than linear time, is recorded as unchecked and matches everything.
func (r *reader) pattern(at, text string) *pattern {
	p := &pattern{text: text, size: len(text)}
	translated := fromECMA(text)
	if p.size > 1000 || strings.ContainsAny(text, "{") {
		tree, err := syntax.Parse(translated, syntax.Perl)
		if err == nil {
			p.size = instructions(tree)
		}
	}
	if r.patterns += p.size; r.patterns > maxInstructions {
		r.problem(at, "the patterns of the schema are too large")
		return p
	}
	compiled, err := regexp.Compile(translated)
	if err != nil {
		r.unchecked.add(Problem{Path: at, Message: fmt.Sprintf("the pattern %q can't be checked: %s", clip(text), whyNot(err))})
		return p
	}
	p.compiled = compiled
	return p
}

// instructions estimates the size of a compiled expression.
func instructions(tree *syntax.Regexp) int {
	n := 1 + len(tree.Rune)/2
	for _, sub := range tree.Sub {
		n += instructions(sub)
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(tree.Min, tree.Max, 1)
	}
	return min(n, 10*maxInstructions)
}

// whyNot is the message for an expression that can't be used.
func whyNot(err error) string {
	var misread *syntax.Error
	if !errors.As(err, &misread) {
		return err.Error()
	}
	switch {
	case strings.HasPrefix(misread.Expr, "(?=") || strings.HasPrefix(misread.Expr, "(?!") ||
		strings.HasPrefix(misread.Expr, "(?<=") || strings.HasPrefix(misread.Expr, "(?<!"):
		return "it looks around, which takes more than linear time"
	case misread.Code == syntax.ErrInvalidEscape && len(misread.Expr) > 1 && misread.Expr[1] >= '1' && misread.Expr[1] <= '9':
		return "it refers back to a group, which takes more than linear time"
	}
	return fmt.Sprintf("%s: %q", misread.Code, clip(misread.Expr))
}

// escapes matches escape sequences of a regular expression, \\ among them, so that what
// follows it is not one.
var escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\(?:u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]+\}|.)`) })

// fromECMA rewrites characters by number, which JSON Schema's regular expressions often have
// and Go's don't. Go's own syntax stays valid.
func fromECMA(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	return escapes().ReplaceAllStringFunc(text, func(escape string) string {
		if len(escape) > 3 {
			return `\x{` + strings.Trim(escape, `\u{}`) + `}`
		}
		return escape
	})
}
