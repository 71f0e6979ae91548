package suite

import (
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/term"
)

// plain decodes JSON into plain data; nil for invalid JSON.
func plain(data []byte) any {
	value, err := jsonline.DecodeExact(data)
	if err != nil {
		return nil
	}
	return value
}

// short is a value in a few words.
func short(value any) string { return inLine(value, 80) }

// long is a value in a line.
func long(value any) string { return inLine(value, 300) }

func inLine(value any, most int) string {
	data, err := jsonline.Encode(value)
	if err != nil {
		return term.Shorten(fmt.Sprint(value), most)
	}
	return term.Shorten(string(data), most)
}

// first returns the first texts of many, and one that counts the others.
func first(n int, all []string) []string {
	if len(all) <= n {
		return all
	}
	return append(all[:n:n], fmt.Sprintf("… and %d more", len(all)-n))
}

// excerpt is the beginning of a text.
func excerpt(text string) []string {
	if text == "" {
		return []string{"(empty)"}
	}
	const maxLines = 15
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range min(len(lines), maxLines) {
		lines[i] = "| " + term.Shorten(lines[i], 200)
	}
	return first(maxLines, lines)
}
