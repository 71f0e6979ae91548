package tree

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// Limits that are checked before the YAML library's parser runs: it is recursive, and it
// copies the rest of a map for each of its keys.
const (
	maxDepth      = 1000
	maxKeys       = 10_000      // of one map
	maxKeyCopies  = 200_000_000 // of all maps: half the square of their keys
	tokensOfValue = 4           // at most: key, colon, value, comma
)

// tokensOf splits a file into tokens. It returns nil for a file that would take the parser
// too long, or too deep, and reports it.
func tokensOf(src *Source, most Limits, r *Report) token.Tokens {
	var s scanner.Scanner
	s.Init(src.text)
	tokens := token.Tokens{}
	watch := tokenWatch{most: tokensOfValue * most.values}
	for {
		found, err := s.Scan()
		if errors.Is(err, io.EOF) {
			straightenLast(src, tokens, src.Lines()+1)
			return tokens
		}
		for _, tk := range found {
			straightenLast(src, tokens, tk.Position.Line)
			tokens.Add(tk)
			if problem := watch.see(tk); problem != "" {
				r.errorAt(src, tk.Position, diagnostic.CodeSyntax, "%s", problem)
				return nil
			}
		}
	}
}

// straightenLast puts right the column of the last token of a line, if the next one is
// in another line: the YAML library counts the blanks behind a plain scalar as if they
// stood before it.
func straightenLast(src *Source, tokens token.Tokens, next int) {
	if len(tokens) == 0 || tokens[len(tokens)-1].Position.Line >= next {
		return
	}
	tk := tokens[len(tokens)-1]
	line, _, _ := strings.Cut(src.From(tk.Position.Line, 1), "\n")
	blanks := len(line) - len(strings.TrimRight(line, " \t"))
	column := tk.Position.Column - blanks
	if blanks == 0 || column < 1 {
		return
	}
	begin, _, _ := strings.Cut(src.From(tk.Position.Line, column), "\n")
	if begin = strings.TrimRight(begin, " \t"); begin != "" && strings.HasPrefix(tk.Value, begin) {
		tk.Position.Column = column
	}
}

// An openValue is a list or map that is not closed yet.
type openValue struct {
	brackets bool
	column   int // of a block
	keys     int
}

// A tokenWatch checks the limits token by token.
type tokenWatch struct {
	most   int // tokens
	seen   int
	open   []openValue
	copies int  // that the parser makes of keys
	body   bool // the text of a block scalar is next; it has no column of its own
}

// see counts the next token, and returns which limit it exceeds; "" for none.
func (w *tokenWatch) see(tk *token.Token) string {
	if w.seen++; tk.Type == token.CommentType {
		return w.problem()
	}
	body := w.body
	w.body = tk.Type == token.LiteralType || tk.Type == token.FoldedType
	inBrackets := len(w.open) > 0 && w.open[len(w.open)-1].brackets
	switch tk.Type {
	case token.MappingStartType, token.SequenceStartType:
		w.open = append(w.open, openValue{brackets: true})
	case token.MappingEndType, token.SequenceEndType:
		if inBrackets {
			w.open = w.open[:len(w.open)-1]
		}
	case token.MappingValueType:
		if len(w.open) > 0 {
			last := &w.open[len(w.open)-1]
			last.keys++
			w.copies += last.keys
		}
	default:
		if !inBrackets && !body {
			w.dedent(tk.Position.Column)
		}
	}
	return w.problem()
}

func (w *tokenWatch) problem() string {
	switch {
	case w.seen > w.most:
		return fmt.Sprintf("the file has more than %s values", quantity.Thousands(w.most/tokensOfValue))
	case len(w.open) > maxDepth:
		return fmt.Sprintf("values are nested more than %s levels deep", quantity.Thousands(maxDepth))
	case len(w.open) > 0 && w.open[len(w.open)-1].keys > maxKeys:
		return fmt.Sprintf("a map has more than %s keys", quantity.Thousands(maxKeys))
	case w.copies > maxKeyCopies:
		return "the maps of the file have too many keys; write them as lists"
	}
	return ""
}

// dedent closes the block values that end before a token at a column, and opens
// one that begins there.
func (w *tokenWatch) dedent(column int) {
	for len(w.open) > 0 && w.open[len(w.open)-1].column > column {
		w.open = w.open[:len(w.open)-1]
	}
	if len(w.open) == 0 || w.open[len(w.open)-1].column < column {
		w.open = append(w.open, openValue{column: column})
	}
}
