package providertest

import (
	"fmt"
	"math/rand/v2"

	"github.com/a-seed-11b9befa/flow/providers"
)

// MadeUp is a conversation as other providers, and worse, leave it: every call is
// answered, and little else is as it should be. Some of its answers are of the
// provider "own". Raws are what a block may have as its Raw, beside nothing,
// nonsense, and what others have there.
func MadeUp(random *rand.Rand, raws ...string) []providers.Message {
	m := inventor{random, append(raws, "", "{}", "[]", "null", "nonsense", `{"type":"message"}`)}
	messages := []providers.Message{providers.UserText("Go.")}
	for range random.IntN(8) {
		said, results := m.answer()
		messages = append(messages, said)
		if len(results.Blocks) > 0 {
			messages = append(messages, results)
		}
		if len(results.Blocks) == 0 || random.IntN(3) == 0 {
			messages = append(messages, providers.UserText(m.pick("Go on.", "And?")))
		}
	}
	return messages
}

type inventor struct {
	random *rand.Rand
	raws   []string
}

func (m inventor) pick(list ...string) string { return list[m.random.IntN(len(list))] }

// answer is what a model said, and the results of its calls.
func (m inventor) answer() (said, results providers.Message) {
	said = providers.Message{Role: providers.RoleAssistant, Provider: m.pick("own", "another", "script")}
	results = providers.Message{Role: providers.RoleTool}
	for range m.random.IntN(5) {
		block := m.block(len(said.Blocks))
		said.Blocks = append(said.Blocks, block)
		if block.Type == providers.BlockToolCall {
			results.Blocks = append(results.Blocks, providers.Block{
				Type: providers.BlockToolResult, CallID: block.ID, Name: block.Name,
				Content: m.pick("", "r", " "), Error: m.random.IntN(2) == 0,
			})
		}
	}
	return said, results
}

func (m inventor) block(n int) providers.Block {
	block := providers.Block{Raw: []byte(m.pick(m.raws...))}
	switch m.random.IntN(4) {
	case 0:
		block.Type, block.Text = providers.BlockText, m.pick("", " \n", "Words.", "\xff<&>")
	case 1:
		block.Type, block.Text = providers.BlockThinking, "hm"
	default:
		block.Type, block.Name = providers.BlockToolCall, "read"
		block.ID = m.pick("call_0", "functions.read:0", "ä ", "toolu_1") + fmt.Sprint(n)
		block.Arguments = []byte(m.pick("", "{}", `{"a`, "[]", "7", `{"a": 1}`))
	}
	return block
}
