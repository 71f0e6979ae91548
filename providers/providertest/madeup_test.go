package providertest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// FuzzConversation makes up conversations as other providers, and worse, leave them: the
// service takes whatever is made of them.
func FuzzConversation(f *testing.F) {
	all := formats()
	delete(all, "openai-responses") // a Raw is all of its item there, the call of the block as well
	for name := range all {
		for seed := range uint64(50) {
			f.Add(seed, name)
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, name string) {
		p, known := all[name]
		if !known {
			return
		}
		e := endpoint(newServer(t, p.Dialect(), Reply{Text: "a"}).URL)
		e.Provider, e.Model = "own", cmp.Or(p.model, e.Model)
		random := rand.New(rand.NewPCG(seed, 0))
		req := providers.Request{Messages: madeUp(random, p.raws), Tools: tools(), NoTools: random.IntN(4) == 0}
		if random.IntN(2) == 0 {
			req.Params.ReasoningEffort = "low"
		}
		send(t, p.New(e), req)
	})
}

// madeUp is a conversation in which every call is answered, and little else is as it should
// be. Some of its answers are of the provider "own". raws are what a block may have as its
// Raw, beside nothing, nonsense, and what others have there.
func madeUp(random *rand.Rand, raws []string) []providers.Message {
	m := inventor{random, append(slices.Clip(raws), "", "{}", "[]", "null", "nonsense", `{"type":"message"}`)}
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
