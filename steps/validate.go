package steps

import (
	"encoding/json"
	"fmt"
	"slices"

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
	problem := ""
	if !slices.Contains(finishes, answer.Finish) {
		problem = fmt.Sprintf("the answer has the unknown finish %q", answer.Finish)
	}
	for i, b := range answer.Blocks {
		switch {
		case !slices.Contains(parts, b.Type):
			problem = fmt.Sprintf("block %d of the answer has the unknown type %q", i, b.Type)
		case b.Type == providers.BlockToolCall && tooDeep(b.Arguments):
			problem = fmt.Sprintf("the arguments of a call of %q are nested deeper than %d levels", b.Name, maxLevels)
		}
	}
	if problem == "" {
		return nil
	}
	return &providers.Error{Kind: providers.KindProvider, Model: answer.Model, Message: problem}
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
