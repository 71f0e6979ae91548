package wire

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// TestCallIDs sends a conversation's calls to a service that has made some of them.
func TestCallIDs(t *testing.T) {
	calls := func(provider string, ids ...string) providers.Message {
		message := providers.Message{Role: providers.RoleAssistant, Provider: provider}
		for _, id := range ids {
			message.Blocks = append(message.Blocks, providers.Block{Type: providers.BlockToolCall, ID: id, Name: "f"})
		}
		return message
	}
	conversation := []providers.Message{
		calls("mine", "functions.read:0", strings.Repeat("x", 65)),
		calls("other", "call_1", strings.Repeat("y", 65), "ä", "D681PevKs"),
		calls("other", "call_1", "functions.read:0", "D681PevKs"), // ids of earlier calls
		calls("mine", "functions.read:0"),
	}
	answered := providers.Message{Role: providers.RoleTool, Blocks: []providers.Block{
		{Type: providers.BlockToolResult, CallID: "functions.read:0"}, {Type: providers.BlockToolResult, CallID: "never called"},
	}}
	conversation = append(conversation, answered)
	client := Connect(providers.Endpoint{Provider: "mine"})
	sent, again := client.Conversation(conversation, false), client.Conversation(conversation, false)
	seen := map[string]string{}
	for i, message := range conversation[:4] {
		for j, call := range message.Blocks {
			got := sent[i].Blocks[j].ID
			if other := again[i].Blocks[j].ID; other != got {
				t.Errorf("%q is sent as %q, and the next time as %q", call.ID, got, other)
			}
			if message.Provider == "mine" {
				if got != call.ID {
					t.Errorf("the service's own %q is sent back as %q", call.ID, got)
				}
				continue
			}
			if !isShared(got) || seen[got] != "" {
				t.Errorf("%q is sent as %q, which %q is, too", call.ID, got, seen[got])
			}
			seen[got] = call.ID
		}
	}
	if seen["D681PevKs"] != "D681PevKs" {
		t.Error("an id that every service takes is sent as another")
	}
	if got := sent[4].Blocks; got[0].CallID != "functions.read:0" || got[1].CallID != "never called" {
		t.Errorf("results are sent as those of %q and %q", got[0].CallID, got[1].CallID)
	}
}

// TestPlainCallIDs: where a service refuses what it would not make itself, it is
// not sent such ids either.
func TestPlainCallIDs(t *testing.T) {
	all := []string{"toolu_1", "call-2", "functions.read:0", "ä", "", strings.Repeat("x", 65), "toolu_1", "functions.read:0"}
	var conversation []providers.Message
	for _, id := range all {
		conversation = append(conversation, providers.Message{Provider: "mine", Blocks: []providers.Block{{Type: providers.BlockToolCall, ID: id}}})
	}
	seen := map[string]bool{}
	for i, message := range Connect(providers.Endpoint{Provider: "mine"}).Conversation(conversation, true) {
		id, got := all[i], message.Blocks[0].ID
		if !isPlain(got) || seen[got] {
			t.Errorf("%q is sent as %q", id, got)
		}
		if i < 2 && got != id {
			t.Errorf("the service's own %q is sent back as %q", id, got)
		}
		seen[got] = true
	}
}

func TestNewCallID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := newCallID()
		if seen[id] || len(id) > 40 {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}

// TestForeign: what only another provider understands is not sent.
func TestForeign(t *testing.T) {
	blocks := []providers.Block{
		{Type: providers.BlockThinking, Text: "hm", Raw: []byte(`{}`)},
		{Type: providers.BlockText, Text: "yes", Raw: []byte(`{}`)},
	}
	client := Connect(providers.Endpoint{Provider: "mine"})
	sent := client.Conversation([]providers.Message{{Provider: "other", Blocks: blocks}, {Provider: "mine", Blocks: blocks}}, false)
	if got := sent[0].Blocks; len(got) != 1 || got[0].Text != "yes" || got[0].Raw != nil || blocks[1].Raw == nil {
		t.Errorf("sent %+v", got)
	}
	if got := sent[1].Blocks; len(got) != 2 || got[0].Raw == nil || got[1].Raw == nil {
		t.Errorf("sent back %+v", got)
	}
}
