package steps

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// One conversation with all that can be said in one: calls good and bad, a
// warning of repetition, a misfit, a failed check, a wrap-up.
func TestTranscript(t *testing.T) {
	thinking := providers.Block{Type: providers.BlockThinking, Text: "Which tool?"}
	again := calls(`echo {"same":true}`)
	checked := 0
	check := Check{Name: "test -s page.md", Run: func(context.Context, any, string) (Judgement, error) {
		checked++
		return Judgement{Good: checked > 1, Problem: "exit status 1"}, nil
	}}
	model := playing(
		answer(providers.FinishToolCalls, append([]providers.Block{thinking}, blocks(`frobnicate {}`, `echo {"a":`, `secret {"of":"x"}`, `fail {}`)...)...),
		again, again, again,
		says(`{"score":6}`),
		says(`{"score":5}`),
		calls(`echo {"page":1}`, `echo {"page":2}`),
		says(`{"score":3}`),
	)
	var l log
	a := Agent{
		Model: model, System: "You rate changes.", Prompt: "Rate this one.", Tools: toolbox(t), Output: schema(t, scoreSchema),
		Checks: []Check{check}, MaxFixes: 3, Stop: Stop{MaxToolCalls: 8, RepeatedCalls: 5}, Hooks: l.hooks(),
	}
	r := a.Run(t.Context())
	if r.StopReason != ReasonMaxToolCalls || r.ToolCalls != 8 {
		t.Errorf("%s after %d calls: %v", r.StopReason, r.ToolCalls, r.Error)
	}
	golden(t, "transcript.jsonl", jsonLines(t, model.asked[len(model.asked)-1].Messages))
	var events []typedEvent
	for _, e := range l.events {
		if e.Type != CallRunning && e.Type != CallFinished { // side by side they come in any order
			events = append(events, typedEvent{e.Type, e})
		}
	}
	golden(t, "events.jsonl", jsonLines(t, events))
}

// A typedEvent is an event as a stream of events has it.
type typedEvent struct {
	Type EventType `json:"type"`
	Event
}

func jsonLines[T any](t *testing.T, list []T) []byte {
	t.Helper()
	var got bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetEscapeHTML(false)
	for _, one := range list {
		if err := encoder.Encode(one); err != nil {
			t.Fatal(err)
		}
	}
	return got.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}
