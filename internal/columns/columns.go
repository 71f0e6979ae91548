// Package columns knows how wide texts are on a terminal.
package columns

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Colours take no columns.
var options = displaywidth.Options{ControlSequences: true}

// Of returns how many columns of a terminal a text takes.
func Of(text string) int { return options.String(text) }

// Fit cuts a text to that many columns, with a mark where it was cut.
func Fit(text string, columns int) string { return options.TruncateString(text, columns, "…") }

// Pad fills a text up with blanks to that many columns.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-Of(text)))
}
