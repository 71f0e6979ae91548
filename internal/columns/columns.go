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

// Fold splits a text at blanks into lines of at most that many columns, all but the first indented. A
// longer word stays whole. Without room for the indent and a little more it stays one line.
func Fold(text string, columns, indent int) (lines []string) {
	if columns < 2*indent+8 {
		return []string{text}
	}
	line, used := "", 0
	for i, word := range strings.Split(text, " ") {
		switch wide := Of(word); {
		case i == 0:
			line, used = word, wide
		case used+1+wide <= columns || used <= indent:
			line, used = line+" "+word, used+1+wide
		default:
			lines = append(lines, line)
			line, used = strings.Repeat(" ", indent)+word, indent+wide
		}
	}
	return append(lines, line)
}
