package word

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Limits of the words that one word expands to, and of the braces in it.
const (
	maxBraceWords = 1024
	maxBraces     = 128
)

// doubt is put before the parts of a word that may be read in another way, so that
// nothing is known of it.
var doubt syntax.WordPart = &syntax.CmdSubst{}

// expandBraces returns the parts of each word to which braces expand one. ok is false
// when there are too many.
func expandBraces(parts []syntax.WordPart) (alternatives [][]syntax.WordPart, ok bool) {
	split := &syntax.Word{Parts: parts}
	if !syntax.SplitBraces(split) {
		return [][]syntax.WordPart{parts}, true
	}
	if braces, plain := countBraces(split.Parts); braces > maxBraces || !plain {
		return nil, false
	}
	for one, err := range expand.BracesSeq(nil, split) {
		if err != nil || len(alternatives) == maxBraceWords {
			return nil, false
		}
		parts := joined(one.Parts)
		if doubtfulBraces(parts) {
			parts = append([]syntax.WordPart{doubt}, parts...)
		}
		alternatives = append(alternatives, parts)
	}
	return alternatives, true
}

// countBraces returns how many braces there are, and whether each sequence is of letters
// in one case, or of numbers: between Z and a there are characters that mean something to
// the shell.
func countBraces(parts []syntax.WordPart) (n int, plain bool) {
	plain = true
	for _, part := range parts {
		brace, is := part.(*syntax.BraceExp)
		if !is {
			continue
		}
		n++
		if brace.Sequence {
			first, last := brace.Elems[0].Lit(), brace.Elems[1].Lit()
			plain = plain && first != "" && last != "" && (first[0] >= 'a') == (last[0] >= 'a')
			continue
		}
		for _, element := range brace.Elems {
			inner, innerPlain := countBraces(element.Parts)
			n, plain = n+inner, plain && innerPlain
		}
	}
	return n, plain
}

// joined joins adjacent pieces of unquoted text that braces had separated: a ~ and the
// name after it are one.
func joined(parts []syntax.WordPart) (out []syntax.WordPart) {
	for _, part := range parts {
		lit, ok := part.(*syntax.Lit)
		if ok && len(out) > 0 {
			if before, ok := out[len(out)-1].(*syntax.Lit); ok {
				out[len(out)-1] = &syntax.Lit{Value: before.Value + lit.Value}
				continue
			}
		}
		out = append(out, part)
	}
	return out
}

// doubtfulBraces reports whether unquoted text still looks like braces that
// expand.
func doubtfulBraces(parts []syntax.WordPart) bool {
	open, inside := false, false
	for _, part := range parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		text := lit.Value
		for i := 0; i < len(text); i++ {
			switch {
			case text[i] == '\\':
				i++
			case text[i] == '{':
				open, inside = true, false
			case text[i] == '}' && open && inside:
				return true
			case text[i] == ',', strings.HasPrefix(text[i:], ".."):
				inside = open
			}
		}
	}
	return false
}
