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
	sent, again := NewCallIDs("mine"), NewCallIDs("mine")
	seen := map[string]string{}
	for _, message := range conversation {
		sent.Add(message)
		again.Add(message)
		for _, call := range message.Calls() {
			got := sent.Of(call.ID)
			if other := again.Of(call.ID); other != got {
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
	if got := sent.Of("never called"); got != "never called" {
		t.Errorf("the result of an unknown call is sent as that of %q", got)
	}
}

// TestPlainCallIDs: where a service refuses what it would not make itself, it is
// not sent such ids either.
func TestPlainCallIDs(t *testing.T) {
	ids := NewCallIDs("mine")
	ids.Plain = true
	seen := map[string]bool{}
	for i, id := range []string{"toolu_1", "call-2", "functions.read:0", "ä", "", strings.Repeat("x", 65), "toolu_1", "functions.read:0"} {
		ids.Add(providers.Message{Provider: "mine", Blocks: []providers.Block{{Type: providers.BlockToolCall, ID: id}}})
		got := ids.Of(id)
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
