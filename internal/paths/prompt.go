package paths

import (
	"fmt"
	"path/filepath"
	"slices"
)

// PromptHint is the end of a sentence that denies writing a file of a run: what a model writes can
// be a prompt all the same. It is "" for files that are no prompts, judging by their names.
func PromptHint(path string) string {
	if !slices.Contains([]string{".md", ".txt", ".prompt"}, filepath.Ext(path)) {
		return ""
	}
	return fmt.Sprintf("; prompt: ${{ file(%q) }} takes a file that a model wrote, as text in which nothing is evaluated", filepath.Base(path))
}
