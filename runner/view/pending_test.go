package view

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

func TestPendingCalls(t *testing.T) {
	var p PendingCalls
	tell := func(kind steps.EventType, step, id, tool, input string) {
		p.Take(runner.Event{Step: step, Event: steps.Event{Type: kind, CallID: id, Tool: tool, Input: []byte(input)}})
	}
	tell(steps.CallPending, "a", "1", "read", `{"filePath":"x"}`)
	tell(steps.CallPending, "b", "1", "read", `{"filePath":"y"}`)
	tell(steps.CallPending, "b", "2", "bash", `{}`)
	tests := []struct{ what, tool, input, want string }{
		{"the same call", "read", `{"filePath":"y"}`, "b"},
		{"with what is pinned", "bash", `{"workdir":"z"}`, "b"},
		{"by two", "read", `{"filePath":"z"}`, ""},
		{"by nobody", "write", `{}`, ""},
	}
	for _, tt := range tests {
		if got := p.Place(tt.tool, []byte(tt.input)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.what, got, tt.want)
		}
	}
	tell(steps.CallFinished, "b", "1", "read", `{"filePath":"y"}`)
	if got := p.Place("read", []byte(`{"filePath":"z"}`)); got != "a" {
		t.Errorf("after the other has ended: %q", got)
	}
}
