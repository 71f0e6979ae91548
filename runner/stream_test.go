package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

func lines(t *testing.T, data string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(data) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%q is no event: %v", line, err)
		}
		all = append(all, event)
	}
	return all
}

func TestStreamNumbersItsOwnEvents(t *testing.T) {
	var out bytes.Buffer
	s := NewStream(&out, nil)
	types := []steps.EventType{RunStarted, steps.BlockStarted, steps.BlockDelta, steps.BlockFinished, RunFinished}
	for _, kind := range types {
		if err := s.Write(Event{RunID: "r", Event: steps.Event{Type: kind}}); err != nil {
			t.Fatal(err)
		}
	}
	events := lines(t, out.String())
	if len(events) != len(types) {
		t.Errorf("%d events, want %d", len(events), len(types))
	}
	for i, e := range events {
		if e["seq"] != float64(i+1) {
			t.Errorf("event %d has the number %v", i+1, e["seq"])
		}
	}
}

func TestEventLine(t *testing.T) {
	index := 0
	e := Event{
		Time: time.Date(2026, 11, 21, 3, 15, 22, 0, time.UTC), RunID: "r", Step: "pages", Index: &index,
		Event: steps.Event{
			Type: steps.CallFinished, Turn: 1, CallID: "call_1", Tool: "read", Input: json.RawMessage(`{"filePath":"<a>"}`),
			Status: tools.Succeeded, Duration: 2 * time.Millisecond,
		},
	}
	var b bytes.Buffer
	if err := NewStream(&b, nil).Write(e); err != nil {
		t.Fatal(err)
	}
	const want = `{"seq":1,"time":"2026-11-21T03:15:22Z","type":"call_finished","run_id":"r","step":"pages","index":0,` +
		`"status":"succeeded","turn":1,"call_id":"call_1","tool":"read","input":{"filePath":"<a>"},"duration_ms":2}` + "\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestStreamMasks(t *testing.T) {
	var b bytes.Buffer
	s := NewStream(&b, tools.NewMask([]string{"tok-5f2e9c"}))
	if err := s.Write(Event{RunID: "r", Event: steps.Event{Type: steps.Warning, Message: "it is tok-5f2e9c"}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "tok-5f2e9c") || !json.Valid(b.Bytes()) {
		t.Errorf("not masked, or no JSON any more: %s", b.String())
	}
}

// full is a disk that holds so many bytes.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestStreamStopsAtTheFirstError(t *testing.T) {
	s := NewStream(&full{room: 200}, nil)
	var err error
	for range 10 {
		err = s.Write(Event{RunID: "r", Event: steps.Event{Type: steps.Warning}})
	}
	if !errors.Is(err, errFull) {
		t.Errorf("got %v, want the disk's error", err)
	}
}
