package wire

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// JoinTexts returns the texts of a message as one, with blank lines between them, for
// services that don't accept a list.
func JoinTexts(message providers.Message) string {
	var texts []string
	for _, block := range message.Blocks {
		if block.Type == providers.BlockText && block.Text != "" {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}
