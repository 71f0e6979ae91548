package word

import (
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraceWords bounds what one word may become.
const maxBraceWords = 1024

// doubt stands before the parts of a word of which another reading is possible:
// nothing is known of it.
var doubt syntax.WordPart = &syntax.CmdSubst{}

// expandBraces returns the parts of each word that braces make of one, or false
// when there are too many.
func expandBraces(parts []syntax.WordPart) (alternatives [][]syntax.WordPart, ok bool) {
	split := &syntax.Word{Parts: parts}
	if !syntax.SplitBraces(split) {
		return [][]syntax.WordPart{parts}, true
	}
	alternatives, ok = multiply(split.Parts)
	for i, parts := range alternatives {
		parts = joined(parts)
		alternatives[i] = parts
		if doubtfulBraces(parts) {
			alternatives[i] = append([]syntax.WordPart{doubt}, parts...)
		}
	}
	return alternatives, ok
}

// joined puts unquoted text together that braces had parted: a ~ and what follows
// it count as one.
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

// multiply replaces the brace expansions among parts by their elements.
func multiply(parts []syntax.WordPart) (out [][]syntax.WordPart, ok bool) {
	out = [][]syntax.WordPart{nil}
	for _, part := range parts {
		choices := [][]syntax.WordPart{{part}}
		if brace, isBrace := part.(*syntax.BraceExp); isBrace {
			if choices, ok = elements(brace); !ok {
				return nil, false
			}
		}
		if len(out)*len(choices) > maxBraceWords {
			return nil, false
		}
		if len(out) == 1 && len(out[0]) == 0 {
			out = choices
			continue
		}
		var next [][]syntax.WordPart
		for _, head := range out {
			for _, tail := range choices {
				next = append(next, append(head[:len(head):len(head)], tail...))
			}
		}
		out = next
	}
	return out, true
}

// elements returns the words that one pair of braces stands for.
func elements(brace *syntax.BraceExp) (out [][]syntax.WordPart, ok bool) {
	if brace.Sequence {
		for _, text := range sequence(brace) {
			out = append(out, []syntax.WordPart{&syntax.Lit{Value: text}})
		}
		return out, len(out) > 0
	}
	for _, element := range brace.Elems {
		more, ok := multiply(element.Parts)
		if !ok || len(out)+len(more) > maxBraceWords {
			return nil, false
		}
		out = append(out, more...)
	}
	return out, true
}

// sequence returns the terms of {from..to..step}, or nil when they are too many
// or not plain numbers or letters of one case.
func sequence(brace *syntax.BraceExp) []string {
	first, last := brace.Elems[0].Lit(), brace.Elems[1].Lit()
	from, err1 := strconv.ParseInt(first, 10, 32)
	to, err2 := strconv.ParseInt(last, 10, 32)
	letters := err1 != nil || err2 != nil
	if letters {
		if len(first) != 1 || len(last) != 1 || (first[0] >= 'a') != (last[0] >= 'a') {
			return nil
		}
		from, to = int64(first[0]), int64(last[0])
	}
	by := int64(1)
	if len(brace.Elems) > 2 {
		by, err1 = strconv.ParseInt(brace.Elems[2].Lit(), 10, 32)
		if err1 != nil {
			return nil
		}
		by = max(by, -by, 1)
	}
	if (max(from, to)-min(from, to))/by >= maxBraceWords {
		return nil
	}
	width := 0
	if isPadded(first) || isPadded(last) {
		width = max(len(first), len(last))
	}
	var out []string
	for n := from; ; {
		if letters {
			out = append(out, string(rune(n)))
		} else {
			out = append(out, fmt.Sprintf("%0*d", width, n))
		}
		if from <= to {
			n += by
		} else {
			n -= by
		}
		if from <= to && n > to || from > to && n < to {
			return out
		}
	}
}

// isPadded reports whether a number asks for leading zeros.
func isPadded(number string) bool {
	number = strings.TrimPrefix(number, "-")
	return len(number) > 1 && number[0] == '0'
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
