package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// hostileEvents are of each level, with texts that would act on a log.
func hostileEvents() []runner.Event {
	const evil = "a\x1b[2J\r\n::error::x"
	return []runner.Event{
		{Workflow: evil, Event: steps.Event{Type: runner.RunStarted}},
		{Step: "s", Event: steps.Event{Type: runner.StepStarted}},
		{Step: "s", Event: steps.Event{Type: steps.Retry, Turn: 1, Attempt: 1, Wait: 2 * time.Second, Error: evil}},
		{Step: "s", Event: steps.Event{Type: steps.BlockDelta, Delta: evil}},
		{Step: "s", Event: steps.Event{Type: steps.CallFinished, Tool: evil, Input: []byte(`{"a": "` + evil + `"}`), Status: tools.Denied, Rule: evil}},
		{Step: "s", Event: steps.Event{Type: steps.Warning, Message: evil, Error: evil}},
		{Step: "s", Status: steps.Failed, Elapsed: time.Second, Failure: &steps.Error{Message: evil}, Event: steps.Event{Type: runner.StepFinished}},
	}
}

func TestLogValuesAreVisible(t *testing.T) {
	for _, json := range []bool{false, true} {
		var out bytes.Buffer
		log := NewLog(&out, "trace", json, nil)
		for _, e := range hostileEvents() {
			log(e)
		}
		text := out.String()
		if strings.ContainsAny(text, "\x1b\r") || strings.Contains(text, "\n::") {
			t.Errorf("json %v: what a model says acts on the log:\n%s", json, text)
		}
		if got, want := strings.Count(strings.TrimSpace(text), "\n")+1, len(hostileEvents()); !json && got < want || json && got != want {
			t.Errorf("json %v: %d lines for %d events", json, got, want)
		}
	}
}

func TestLogLevels(t *testing.T) {
	if NewLog(nil, "off", true, nil) != nil || NewLog(nil, "", false, nil) != nil {
		t.Error("a log that is off logs")
	}
	lines := map[string]int{}
	for _, level := range []string{"error", "warn", "info", "debug"} {
		var out bytes.Buffer
		log := NewLog(&out, level, true, nil)
		for _, e := range hostileEvents() {
			log(e)
		}
		lines[level] = strings.Count(out.String(), "\n")
	}
	if !(0 < lines["error"] && lines["error"] < lines["warn"] && lines["warn"] < lines["info"] && lines["info"] < lines["debug"]) {
		t.Errorf("lines by level: %v", lines)
	}
}
