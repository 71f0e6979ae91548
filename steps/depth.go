package steps

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
)

// mostLevels is how deep JSON of a model, a tool or a command may be nested. Parsers and
// encoders have limits of their own, at which they fail.
const mostLevels = 200

// extent returns upper bounds of the number of values in JSON, and of their nesting. Each
// value but the first follows a comma, a colon or a bracket outside of strings.
func extent[T string | json.RawMessage](text T) (values, levels int) {
	values = 1
	level, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			values++
			level++
			levels = max(levels, level)
		case c == ',' || c == ':':
			values++
		case c == '}' || c == ']':
			level--
		}
	}
	return values, levels
}

func tooDeep(raw json.RawMessage) bool {
	_, levels := extent(raw)
	return levels > mostLevels
}

// shallowAll returns copies of blocks as shallow does.
func shallowAll(blocks []providers.Block) []providers.Block {
	blocks = slices.Clone(blocks)
	for i, b := range blocks {
		blocks[i] = shallow(b)
	}
	return blocks
}

// shallow returns a block without arguments that are nested too deep.
func shallow(b providers.Block) providers.Block {
	if tooDeep(b.Arguments) {
		b.Arguments = json.RawMessage(`"…"`)
	}
	return b
}

// checkDepth returns an error for an answer with calls that can't be recorded.
func checkDepth(answer providers.Message) error {
	for _, call := range answer.Calls() {
		if tooDeep(call.Arguments) {
			return &providers.Error{
				Kind: providers.KindProvider, Model: answer.Model,
				Message: fmt.Sprintf("the arguments of a call of %q are nested deeper than %d levels", call.Name, mostLevels),
			}
		}
	}
	return nil
}
