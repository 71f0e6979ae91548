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
	label    string // after the opening backticks
	content  string
	from, to int  // where its lines are in the text
	closed   bool // there is a closing line; only the last block may lack one
	whole    bool // there is no text before or after it
}

// fences returns the blocks of a text.
func fences(text string) []fence {
	var found []fence
	var open bool
	var ticks string
	blank := true // nothing but blanks came first
	at := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		at += len(line)
		last := len(found) - 1
		switch {
		case !open && strings.HasPrefix(bare, "```"):
			ticks = bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
			found = append(found, fence{label: strings.TrimSpace(bare[len(ticks):]), from: at - len(line), to: at, whole: blank})
			open, blank = true, false
		case open && bare == ticks:
			found[last].content = strings.TrimSuffix(text[found[last].to:at-len(line)], "\n")
			found[last].to, found[last].closed, open = at, true, false
		case !open && bare != "":
			blank = false
			if last >= 0 {
				found[last].whole = false
			}
		}
	}
	if open {
		last := len(found) - 1
		found[last].content, found[last].to = text[found[last].to:], at
	}
	return found
}
