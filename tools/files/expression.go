package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// compileLine compiles a pattern for single lines.
func compileLine(pattern string) (*lineExpression, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("the pattern is no RE2 regular expression (no look-around, no back-references; \\ takes the meaning from a character): %w", err)
	}
	literal := required(tree)
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("the pattern: %w", err)
	}
	size := len(program.Inst)
	if size > mostInstructions {
		return nil, fmt.Errorf("the pattern is too large: it has %d steps; the most is %d; a smaller number in {} makes fewer", size, mostInstructions)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern: %w", err)
	}
	return &lineExpression{re: re, literal: literal, piece: pieceWork / size}, nil
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

	hide func(text string) string // masks a line before it is cut; nil changes nothing
}

// literal is a text, or with fold the lower case of a text in any case.
type literal struct {
	text []byte
	fold bool
}

// match returns the beginning and the end of the first match in a line, or nil. $ also
// matches before \r\n. When ctx is done the result means nothing.
func (x *lineExpression) match(ctx context.Context, line []byte) []int {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	match := x.find(ctx, line)
	if text, ok := bytes.CutSuffix(line, []byte{'\r'}); ok && match == nil {
		match = x.find(ctx, text)
	}
	return match
}

func (x *lineExpression) find(ctx context.Context, text []byte) []int {
	if len(text) <= x.piece {
		return x.re.FindIndex(text)
	}
	return x.re.FindReaderIndex(&watchedRunes{ctx: ctx, rest: text, every: x.piece})
}

// watchedRunes reads a text that ends early when ctx is done. It lives only for one call of
// [lineExpression.find].
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
