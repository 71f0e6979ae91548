package steps

import (
	"fmt"
	"strings"
)

// ends keeps both ends of a long text.
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

// lastLine is the last line that has more than blanks.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// lastLines are the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(len(lines)-n, 0):], "\n")
}

// brief is a text where it is short, and else its last line, which for a
// command says how it ended.
func brief(text string) string {
	const most = 300
	if len(text) <= most {
		return strings.TrimSpace(text)
	}
	return ends(lastLine(text), most)
}
