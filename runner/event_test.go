package runner

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A field stands in the line where it applies, also if it is zero.
func TestEventFieldsThatApply(t *testing.T) {
	at := Event{Seq: 7, RunID: "r", Step: "a/b", Index: new(0), Round: 2, StepAttempt: 3, Unit: unitOf(t, "a/b#2[0]~3")}
	for _, c := range []struct {
		kind   steps.EventType
		change func(*Event)
		want   string
	}{
		{StepStarted, func(e *Event) { e.StepKind, e.Items = "prompt", new(0) }, `,"kind":"prompt","items":0}`},
		{StepFinished, func(e *Event) {
			e.Status, e.Elapsed, e.Failure = steps.Failed, time.Second, &steps.Error{Kind: steps.KindTool, Message: "no <file>\n"}
		}, `,"status":"failed","error":"no <file>\n","error_kind":"tool","duration_ms":1000}`},
		{steps.CallFinished, func(e *Event) {
			e.CallID, e.Event.Status, e.Event.Error = "c", tools.Denied, "denied"
		}, `,"status":"denied","call_id":"c","error":"denied","duration_ms":0}`},
		{steps.Retry, func(e *Event) { e.Attempt, e.Wait, e.Event.Error = 1, time.Minute, "busy" }, `,"attempt":1,"error":"busy","wait_ms":60000}`},
	} {
		event := at
		event.Type = c.kind
		c.change(&event)
		line, err := event.MarshalJSON()
		want := `{"seq":7,"time":"0001-01-01T00:00:00Z","type":"` + string(c.kind) + `","run_id":"r","step":"a/b","index":0,"round":2,"unit":"a/b#2[0]~3","step_attempt":3` + c.want
		if diff := cmp.Diff(want, string(line)); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
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

func TestPlace(t *testing.T) {
	for unit, want := range map[string]string{
		"a": "", "pages[3]": "", "pages[3]/review#1~1": "", "pages[3]/review#2": "pages/3/review@round-2",
		"a[1]/b[2]": "a/1/b/2", "lint~3": "lint@attempt-3", "a[1]/b#2~2/c~4": "a/1/b/c@round-2@attempt-2@attempt-4",
	} {
		u, err := journal.ParseAddress(unit)
		if err != nil {
			t.Fatal(err)
		}
		if got := placeOf(u); got != want {
			t.Errorf("%s: %q, want %q", unit, got, want)
		}
	}
}
