package steps

import (
	"encoding/json"
	"fmt"

	"github.com/a-seed-11b9befa/flow/providers"
)

// mostLevels is how deep JSON of a model, a tool or a command may be nested.
// What reads and writes it has limits of its own, and breaks at them.
const mostLevels = 200

// tooDeep reports whether JSON is nested deeper than that.
func tooDeep(raw []byte) bool {
	level, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if level++; level > mostLevels {
				return true
			}
		case c == '}' || c == ']':
			level--
		}
	}
	return false
}

// shallow is the block without arguments that are nested too deep.
func shallow(b providers.Block) providers.Block {
	if tooDeep(b.Arguments) {
		b.Arguments = json.RawMessage(`"…"`)
	}
	return b
}

// checkDepth refuses an answer whose calls could not be written down.
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
