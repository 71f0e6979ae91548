package runner

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

func pointer[T any](value T) *T { return &value }

// TestEventIsRead writes events with everything in them, and reads them back: a
// member that one of the two does not know is missed.
func TestEventIsRead(t *testing.T) {
	at := Event{
		Seq: 7, Time: time.Date(2026, 11, 21, 3, 15, 22, 500, time.UTC), RunID: "r",
		Step: "a/b", Index: pointer(0), Place: "a/@2/b/0", Round: 2, StepAttempt: 3, Unit: unitOf(t, "a/b#2[0]~3"),
	}
	for _, c := range []struct {
		kind   steps.EventType
		change func(*Event)
	}{
		{RunStarted, func(e *Event) { e.Workflow = "w" }},
		{StepStarted, func(e *Event) { e.StepKind, e.Items = "prompt", pointer(0) }},
		{StepStarted, func(e *Event) { e.StepKind, e.Item = "prompt", "a.go" }},
		{StepFinished, func(e *Event) {
			e.Status, e.Reason, e.Turns, e.Calls, e.Elapsed = steps.Failed, steps.ReasonError, 3, 4, time.Second
			e.Failure = &steps.Error{Kind: steps.KindTool, Message: "no <file>\n"}
		}},
		{steps.BlockDelta, func(e *Event) { e.Turn, e.Block, e.Delta = 1, pointer(0), "\u2028é" }},
		{steps.BlockFinished, func(e *Event) {
			e.Turn, e.Block, e.Kind = 1, pointer(1), "text"
			e.Value = &providers.Block{Type: providers.BlockText, Text: "a"}
		}},
		{steps.TurnFinished, func(e *Event) {
			e.Turn, e.Model, e.Finish, e.Cost = 1, "p/m", "stop", pointer(0.00012)
			e.Usage = &providers.Usage{InputTokens: 1, OutputTokens: 2, CacheWriteTokens: 3, Cost: pointer(1e-7)}
		}},
		{steps.CallFinished, func(e *Event) {
			e.Turn, e.CallID, e.Tool, e.Input = 1, "c", "read", json.RawMessage(`{"a":1}`)
			e.Event.Status, e.Duration, e.Rule, e.Truncated = tools.Denied, time.Second, "read: *", true
			e.Event.Error = "denied"
		}},
		{steps.Retry, func(e *Event) { e.Attempt, e.Wait, e.Event.Error = 1, time.Minute, "busy" }},
		{steps.Warning, func(e *Event) { e.Message = "careful" }},
	} {
		want := at
		want.Type = c.kind
		c.change(&want)
		line, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Event
		if err := json.Unmarshal(line, &got); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

// What is no JSON, as it must not be, does not end the line.
func TestEventInput(t *testing.T) {
	e := Event{Event: steps.Event{Type: steps.CallPending, Input: json.RawMessage("{\n\"a\": \"b c\"}")}}
	line, err := e.MarshalJSON()
	if want := `{"seq":0,"time":"0001-01-01T00:00:00Z","type":"call_pending","run_id":"","input":{"a":"b c"}}`; err != nil || string(line) != want {
		t.Errorf("got %s, %v; want %s", line, err, want)
	}
	e.Input = json.RawMessage("{")
	if line, err := e.MarshalJSON(); err == nil {
		t.Errorf("got %s", line)
	}
}
