package steps

import "strings"

// unfenced removes the Markdown fence that models often put around JSON: it returns the only
// block marked as json, or the block that is the whole text. It returns any other text as
// it is.
func unfenced(text string) string {
	blocks := fences(text)
	if n := len(blocks); n > 0 && !blocks[n-1].closed { // its end may be missing
		blocks = blocks[:n-1]
	}
	marked := ""
	count := 0
	for _, b := range blocks {
		if strings.EqualFold(b.label, "json") {
			marked, count = b.content, count+1
		}
	}
	switch {
	case count == 1:
		return marked
	case len(blocks) == 1 && blocks[0].whole:
		return blocks[0].content
	}
	return text
}

// fence is a block of Markdown between two lines of backticks.
type fence struct {
	label   string // after the opening backticks
	content string
	closed  bool // there is a closing line; only the last block may lack one
	whole   bool // there is no text before or after it
}

// fences returns the blocks of a text.
func fences(text string) (found []fence) {
	ticks := ""         // of the open block; "": none is
	blank := true       // nothing but blanks came first
	at, content := 0, 0 // where the line ends, and the content of the open block begins
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		at += len(line)
		last := len(found) - 1
		switch {
		case ticks == "" && strings.HasPrefix(bare, "```"):
			ticks = bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
			found = append(found, fence{label: strings.TrimSpace(bare[len(ticks):]), content: text[at:], whole: blank})
			content, blank = at, false
		case ticks != "" && bare == ticks:
			found[last].content = strings.TrimSuffix(text[content:at-len(line)], "\n")
			found[last].closed, ticks = true, ""
		case ticks == "" && bare != "":
			blank = false
			if last >= 0 {
				found[last].whole = false
			}
		}
	}
	return found
}
