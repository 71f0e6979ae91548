package steps

import (
	"fmt"
	"strings"
)

// ends cuts the middle out of a text that is longer than most bytes.
func ends(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head := strings.ToValidUTF8(text[:most/2], "")
	tail := strings.ToValidUTF8(text[len(text)-most/2:], "")
	return fmt.Sprintf("%s\n… %d bytes left out\n%s", head, len(text)-len(head)-len(tail), tail)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// lastLines returns the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(len(lines)-n, 0):], "\n")
}
