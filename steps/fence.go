package steps

import "strings"

// unfenced removes the Markdown fence that models often put around JSON: it returns the only
// block marked as json, or the block that is the whole text. It returns any other text as
// it is.
func unfenced(text string) string {
	blocks := fences(text)
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
	whole   bool // there is no text before or after it
}

// fences returns the closed blocks of a text. It ignores one that is not closed, because its
// end may be missing.
func fences(text string) []fence {
	var found []fence
	var open *fence
	var ticks string
	var body []string
	before := false // something other than blanks came first
	for _, line := range strings.Split(text, "\n") {
		bare := strings.TrimSpace(line)
		switch {
		case open == nil && strings.HasPrefix(bare, "```"):
			ticks = bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
			open, body = &fence{label: strings.TrimSpace(bare[len(ticks):]), whole: !before}, nil
		case open != nil && bare == ticks:
			open.content = strings.Join(body, "\n")
			found, open = append(found, *open), nil
			before = true
		case open != nil:
			body = append(body, line)
		case bare != "":
			before = true
			if len(found) > 0 {
				found[len(found)-1].whole = false
			}
		}
	}
	return found
}
