package providers

import (
	"encoding/json"
	"testing"
)

// TestMemo asks for the messages of a conversation again and again: what is
// encoded is what has changed since, and all that came after it.
func TestMemo(t *testing.T) {
	call := Message{Role: RoleAssistant, Provider: "p", Blocks: []Block{{Type: BlockToolCall, ID: "1", Name: "f", Arguments: json.RawMessage(`{}`)}}}
	result := Message{Role: RoleTool, Blocks: []Block{{Type: BlockToolResult, CallID: "1", Content: "a"}}}
	failed := Message{Role: RoleTool, Blocks: []Block{{Type: BlockToolResult, CallID: "1", Content: "a", Error: true}}}
	memo := new(Memo)
	for _, step := range []struct {
		name         string
		memo         *Memo
		model        string
		conversation []Message
		encoded      int
	}{
		{"the first", memo, "m", []Message{UserText("Go.")}, 1},
		{"longer", memo, "m", []Message{UserText("Go."), call, result}, 2},
		{"the same", memo, "m", []Message{UserText("Go."), call, result}, 0},
		{"another result", memo, "m", []Message{UserText("Go."), call, failed}, 1},
		{"another beginning", memo, "m", []Message{UserText("Stop."), call, failed}, 3},
		{"shorter", memo, "m", []Message{UserText("Stop.")}, 0},
		{"another model", memo, "n", []Message{UserText("Stop."), call}, 2},
		{"the first model again", memo, "m", []Message{UserText("Stop.")}, 1},
		{"no memo", nil, "m", []Message{UserText("Stop.")}, 1},
	} {
		encoded := 0
		for i, message := range step.conversation {
			want, err := json.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			wire := step.memo.Message(step.model, i, message, func() json.RawMessage {
				encoded++
				return want
			})
			if string(wire) != string(want) {
				t.Errorf("%s: message %d is %s, want %s", step.name, i, wire, want)
			}
		}
		if encoded != step.encoded {
			t.Errorf("%s: %d encoded, want %d", step.name, encoded, step.encoded)
		}
	}
}

// TestToolMemo compares tools by what they say.
func TestToolMemo(t *testing.T) {
	memo, encoded := new(ToolMemo), 0
	for _, name := range []string{"read", "read", "grep"} {
		wire := memo.Encoded([]ToolSpec{{Name: name}}, func() json.RawMessage {
			encoded++
			return json.RawMessage(name)
		})
		if string(wire) != name {
			t.Errorf("tools %s, want %s", wire, name)
		}
	}
	if encoded != 2 {
		t.Errorf("%d encoded, want 2", encoded)
	}
}
