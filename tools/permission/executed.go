package permission

import (
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Executed is what files of its working directory a command runs.
type Executed = program.Executed

// ExecutedBy returns what files of its working directory a command runs that consists of these words,
// of which those that are not known are "". ok is false for a command that is not known to run any.
func ExecutedBy(words []string) (x Executed, ok bool) {
	all := make([]word.Word, len(words))
	for i, text := range words {
		if all[i] = word.Of(text); text == "" {
			all[i] = word.Word{Kind: word.Dynamic}
		}
	}
	return program.ExecutedBy(all)
}
