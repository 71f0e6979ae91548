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

// lastLine returns the last line that is not blank.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// lastLines returns the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(len(lines)-n, 0):], "\n")
}

// brief returns a short text, or the last line of a long one, which for a command says how
// it ended.
func brief(text string) string {
	const most = 300
	if len(text) <= most {
		return strings.TrimSpace(text)
	}
	return ends(lastLine(text), most)
}
