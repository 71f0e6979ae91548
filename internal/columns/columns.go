// Package columns knows how wide texts are on a terminal.
package columns

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Of returns how many columns of a terminal a text takes.
func Of(text string) int {
	columns := 0
	for _, r := range text {
		columns += ofRune(r)
	}
	return columns
}

func ofRune(r rune) int {
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

// Fit cuts a text to that many columns, with a mark where it was cut.
func Fit(text string, columns int) string {
	used, kept := 0, 0 // kept: the bytes that leave room for the mark
	for i, r := range text {
		if used <= columns-1 {
			kept = i
		}
		if used += ofRune(r); used > columns {
			return text[:kept] + "…"
		}
	}
	return text
}

// Pad fills a text up with blanks to that many columns.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-Of(text)))
}
