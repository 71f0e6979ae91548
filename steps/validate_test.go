package steps

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// An answer of a model of the program's own that does not say whether it is whole, or what a
// part of it is, is no success. What can be recorded of it is the step's text, and is paid for.
func TestAnswersThatMakeNoSense(t *testing.T) {
	text := providers.Block{Type: providers.BlockText, Text: "half a"}
	for _, tt := range []struct {
		name string
		play play
		want string
	}{
		{"no finish", answer("", text), `fake/one: the answer has the unknown finish ""`},
		{"an unknown finish", answer("banana", text), `fake/one: the answer has the unknown finish "banana"`},
		{"a block without a type", answer(providers.FinishStop, text, providers.Block{Text: " sentence"}), `fake/one: block 1 of the answer has the unknown type ""`},
		{"a block of the wrong type", answer(providers.FinishStop, text, providers.Block{Type: providers.BlockToolResult}), `fake/one: block 1 of the answer has the unknown type "tool_result"`},
		{"no name, and no finish", func(context.Context, providers.Request) (providers.Message, error) {
			return providers.Message{Blocks: []providers.Block{text}}, nil
		}, `fake/one: the answer has the unknown finish ""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &log{}
			var facts []Fact
			hooks := l.hooks()
			hooks.Remember = func(f Fact) { facts = append(facts, f) }
			r := (&Agent{Model: playing(tt.play), Prompt: "go", Hooks: hooks}).Run(t.Context())
			if r.Status != Failed || r.Text != "half a" || !r.Partial || r.Turns != 0 {
				t.Errorf("%s, %q, partial %t, %d turns", r.Status, r.Text, r.Partial, r.Turns)
			}
			if r.Error.Kind != KindProvider || r.Error.Message != tt.want {
				t.Errorf("%s: %s\nwant: %s", r.Error.Kind, r.Error.Message, tt.want)
			}
			for name, all := range map[string]any{"facts": facts, "events": l.events} {
				if _, err := json.Marshal(all); err != nil {
					t.Errorf("the %s can't be recorded: %v", name, err)
				}
			}
		})
	}
}
