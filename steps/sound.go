package steps

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The words of an answer that make sense. Packages of services use no others; a model of the
// program's own may.
var (
	finishes = []providers.Finish{
		providers.FinishStop, providers.FinishToolCalls, providers.FinishLength, providers.FinishContentFilter, providers.FinishError,
	}
	parts = []providers.BlockType{providers.BlockText, providers.BlockThinking, providers.BlockToolCall}
)

// validate returns an error for an answer of which nobody knows what it means, such as whether it
// is whole, and for one that can't be recorded.
func validate(answer providers.Message) error {
	if !slices.Contains(finishes, answer.Finish) {
		return unsound(answer, "the answer has the finish %q, which is none of %s", answer.Finish, list(finishes))
	}
	for i, b := range answer.Blocks {
		switch {
		case !slices.Contains(parts, b.Type):
			return unsound(answer, "block %d of the answer has the type %q, which is none of %s", i, b.Type, list(parts))
		case b.Type == providers.BlockToolCall && tooDeep(b.Arguments):
			return unsound(answer, "the arguments of a call of %q are nested deeper than %d levels", b.Name, mostLevels)
		}
	}
	return nil
}

func unsound(answer providers.Message, format string, args ...any) error {
	return &providers.Error{Kind: providers.KindProvider, Model: answer.Model, Message: fmt.Sprintf(format, args...)}
}

func list[T ~string](words []T) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(word))
	}
	return b.String()
}

// recordable returns copies of the blocks that can be recorded, without arguments that are
// nested too deep.
func recordable(blocks []providers.Block) (all []providers.Block) {
	for _, b := range blocks {
		if !slices.Contains(parts, b.Type) {
			continue
		}
		if tooDeep(b.Arguments) {
			b.Arguments = json.RawMessage(`"…"`)
		}
		all = append(all, b)
	}
	return all
}
