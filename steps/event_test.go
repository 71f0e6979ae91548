package steps

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc"

	"github.com/a-seed-11b9befa/flow/providers"
)

// What a model sends, and the event that comes of it.
func TestRelayed(t *testing.T) {
	two := 2
	call := providers.Block{Type: providers.BlockToolCall, ID: "c1", Name: "read"}
	text := providers.Block{Type: providers.BlockText, Text: "Hello"}
	tests := []struct {
		name string
		in   providers.Event
		want Event
	}{
		{"a call begins", providers.Event{Type: providers.BlockStarted, Index: 2, Block: call}, Event{Type: BlockStarted, Turn: 7, Block: &two, Kind: "tool_call", CallID: "c1", Tool: "read"}},
		{"more of it", providers.Event{Type: providers.BlockDelta, Index: 2, Delta: `{"a`}, Event{Type: BlockDelta, Turn: 7, Block: &two, Delta: `{"a`}},
		{"a text is whole", providers.Event{Type: providers.BlockFinished, Index: 2, Block: text}, Event{Type: BlockFinished, Turn: 7, Block: &two, Kind: "text", Value: &text}},
		{"a retry without a reason", providers.Event{Type: providers.Retried, Attempt: 1}, Event{Type: Retry, Turn: 7, Attempt: 1}},
		{"a fallback", providers.Event{Type: providers.FellBack, Model: "b/two", Err: errors.New("down")}, Event{Type: Warning, Turn: 7, Model: "b/two", Message: "falling back to b/two", Error: "down"}},
		{"a fallback to nobody knows whom", providers.Event{Type: providers.FellBack}, Event{Type: Warning, Turn: 7, Message: "falling back to another model"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, relayed(7, tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Hooks need no lock of their own: they are told one thing at a time.
func TestObserverTellsOneAtATime(t *testing.T) {
	const tellers, each = 8, 200
	var inside sync.Mutex
	told := 0
	o := observer{event: func(Event) {
		if !inside.TryLock() {
			t.Error("told twice at once")
			return
		}
		defer inside.Unlock()
		told++
	}}
	var running conc.WaitGroup
	for range tellers {
		running.Go(func() {
			for range each {
				o.observe(Event{})
			}
		})
	}
	running.Wait()
	if told != tellers*each {
		t.Errorf("told %d times, want %d", told, tellers*each)
	}
}

func TestNobodyHasToListen(t *testing.T) {
	var o observer
	o.observe(Event{})
	o.warn(1, "x")
}
