package term

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// columnsOf is how many columns of a terminal a character takes.
func columnsOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x1100:
		return 1
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Fit cuts text to what fits into so many columns, with a mark where it was
// cut.
func Fit(text string, columns int) string {
	used, kept := 0, 0 // kept: the bytes that leave room for the mark
	for i, r := range text {
		if used <= columns-1 {
			kept = i
		}
		if used += columnsOf(r); used > columns {
			return text[:kept] + "…"
		}
	}
	return text
}

// Pad fills text up to so many columns.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-Columns(text)))
}

// Columns is how many columns of a terminal a text takes.
func Columns(text string) int {
	columns := 0
	for _, r := range text {
		columns += columnsOf(r)
	}
	return columns
}
