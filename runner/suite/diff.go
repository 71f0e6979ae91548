package suite

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// maxDiff is how many lines of a difference are shown.
const maxDiff = 60

// lineDiff returns the lines in which two texts differ, with some around them: those with - are only in
// the first text, those with + only in the second, those with a space in both. It is "" for equal
// texts. After most lines, one gives the number of the others. The last line break counts.
func lineDiff(before, after string, most int) string {
	switch {
	case before == after:
		return ""
	case before+"\n" == after:
		return "+ a line break at the end\n"
	case before == after+"\n":
		return "- a line break at the end\n"
	}
	lines := strings.SplitAfter(string(diff.Diff("before", whole(before), "after", whole(after))), "\n")
	const head = 3 // the names of the texts
	lines = lines[min(head, len(lines)):]
	if len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > most {
		lines = append(lines[:most:most], fmt.Sprintf("… %d more lines\n", len(lines)-most))
	}
	return strings.Join(lines, "")
}

// whole is a text whose last line ends.
func whole(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(strings.TrimSuffix(text, "\n") + "\n")
}
