package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// compileLine compiles a pattern so that it can be matched with many lines at once: nothing
// in it matches a newline, and $ also matches before \r\n.
func compileLine(pattern string) (*lineExpression, error) {
	const flags = syntax.Perl &^ syntax.OneLine // ^ and $ are those of lines
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, fmt.Errorf("the pattern is no RE2 regular expression (no look-around, no back-references; \\ takes the meaning from a character): %w", err)
	}
	tree = withinLine(tree)
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("the pattern: %w", err)
	}
	size := len(program.Inst)
	if size > mostInstructions {
		return nil, fmt.Errorf("the pattern is too large: it has %d steps; the most is %d; a smaller number in {} makes fewer", size, mostInstructions)
	}
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, fmt.Errorf("the pattern: %w", err)
	}
	return &lineExpression{re: re, literal: required(tree), piece: pieceWork / size}, nil
}

const (
	mostInstructions = 2000 // of a compiled expression

	// pieceWork is the work between two checks of ctx: bytes, times the instructions that
	// each may take. It takes at most about a second.
	pieceWork = 20_000_000
)

// lineExpression finds lines. It first searches for a text that each match has to contain,
// which is many times faster than the expression.
type lineExpression struct {
	re      *regexp.Regexp
	literal literal
	piece   int       // bytes between two checks of ctx
	blocks  sync.Pool // of *[]byte
}

// literal is a text, or with fold the lower case of a text in any case.
type literal struct {
	text []byte
	fold bool
}

// find returns the beginning and the end of the first match in lines, or nil. folded are
// the lines in the form in which the literal is searched for. When ctx is done the result
// means nothing.
func (x *lineExpression) find(ctx context.Context, lines, folded []byte) []int {
	for start := 0; start < len(lines) && ctx.Err() == nil; {
		end := start
		if len(x.literal.text) > 0 {
			at := bytes.Index(folded[start:], x.literal.text)
			if at < 0 {
				return nil
			}
			start += bytes.LastIndexByte(lines[start:start+at], '\n') + 1
			end = start + lineEnd(lines[start:])
		} else {
			end = start + linesWithin(lines[start:], x.piece)
		}
		match := x.match(ctx, lines[start:end])
		if match != nil && (match[0] < end-start || lines[end-1] != '\n') {
			return []int{start + match[0], start + match[1]}
		}
		start = end
	}
	return nil
}

// linesWithin returns the length of as many whole lines as fit into a piece, or of the
// first line if that alone is longer.
func linesWithin(p []byte, piece int) int {
	if len(p) <= piece {
		return len(p)
	}
	if i := bytes.LastIndexByte(p[:piece], '\n'); i >= 0 {
		return i + 1
	}
	return lineEnd(p)
}

// match matches lines that fit into a piece, or one longer line.
func (x *lineExpression) match(ctx context.Context, lines []byte) []int {
	if len(lines) <= x.piece {
		return x.re.FindIndex(lines)
	}
	return x.re.FindReaderIndex(&watchedRunes{ctx: ctx, rest: lines, every: x.piece})
}

// watchedRunes reads a text that ends early when ctx is done. It lives only for one call of
// [lineExpression.match].
type watchedRunes struct {
	ctx     context.Context
	rest    []byte
	every   int // bytes between two checks of ctx
	unheard int // bytes since the last check
}

func (w *watchedRunes) ReadRune() (r rune, size int, err error) {
	if w.unheard >= w.every {
		if w.unheard = 0; w.ctx.Err() != nil {
			w.rest = nil
		}
	}
	if len(w.rest) == 0 {
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRune(w.rest)
	w.rest = w.rest[size:]
	w.unheard += size
	return r, size, nil
}

// folded returns p in the form in which the literal is searched for.
func (l literal) folded(p []byte) []byte {
	if !l.fold {
		return p
	}
	lower := make([]byte, len(p))
	for i, c := range p {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return lower
}

// lineEnd returns the length of the first line, newline included.
func lineEnd(p []byte) int {
	if i := bytes.IndexByte(p, '\n'); i >= 0 {
		return i + 1
	}
	return len(p)
}

// required returns the longest text that every match contains.
func required(re *syntax.Regexp) literal {
	var longest literal
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return anyCase(re.Rune)
		}
		return literal{text: []byte(string(re.Rune))}
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
		for _, sub := range re.Sub {
			// Of two with the same length take the later one: in code, beginnings are alike.
			if l := required(sub); len(l.text) >= len(longest.text) {
				longest = l
			}
		}
	}
	return longest
}

// anyCase returns the longest part in which only ASCII letters have other cases. k and s
// have forms outside of ASCII: the Kelvin sign, the long s.
func anyCase(text []rune) literal {
	lower := strings.ToLower(string(text))
	parts := strings.FieldsFunc(lower, func(r rune) bool { return r >= utf8.RuneSelf || r == 'k' || r == 's' })
	longest := ""
	for _, part := range parts {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return literal{text: []byte(longest), fold: true}
}

// withinLine changes an expression so that its matches are within one line.
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

// withoutNewline removes \n from the ranges of a character class.
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
