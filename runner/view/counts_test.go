package view

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

func TestCounts(t *testing.T) {
	tests := []struct {
		what string
		c    Counts
		want string
	}{
		{"nothing", Counts{}, ""},
		{"one of each", Counts{Turns: 1, Calls: 1, Tokens: 1}, "1 turn, 1 call, 1 token"},
		{"many", Counts{Turns: 12, Calls: 1234, Denied: 2, Tokens: 1234567, CostUSD: 1.5}, "12 turns, 1,234 calls, 2 denied, 1,234,567 tokens, $1.50"},
		{"a little cost", Counts{Tokens: 10, CostUSD: 0.00042}, "10 tokens, $0.00042"},
		{"an unknown price", Counts{Tokens: 10, CostUSD: 3, Unpriced: true}, "10 tokens"},
		{"an unknown price of nothing", Counts{Unpriced: true}, ""},
	}
	for _, tt := range tests {
		if got := tt.c.String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.what, got, tt.want)
		}
	}
}

// A turn whose cost is not known leaves that of all unknown, whatever comes after it; what
// kept answers saved is summed up.
func TestCountsOfEvents(t *testing.T) {
	cost, saved := 0.5, 0.25
	use := &providers.Usage{InputTokens: 10}
	unpriced := steps.Event{Type: steps.TurnFinished, Usage: use}
	priced := steps.Event{Type: steps.TurnFinished, Usage: use, Cost: &cost}
	kept := steps.Event{Type: steps.TurnFinished, Cached: true, Saved: &saved}
	for want, events := range map[string][]steps.Event{
		"2 turns, 20 tokens, $1.00":                         {priced, priced},
		"2 turns, 20 tokens":                                {unpriced, priced},
		"3 turns, 2 cached ($0.50 saved), 10 tokens, $0.50": {priced, kept, kept},
	} {
		var c Counts
		for _, e := range events {
			count(&c, e)
		}
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What used no tokens costs nothing, whether or not a price is known.
func TestCostThatIsKnown(t *testing.T) {
	for _, test := range []struct {
		Counts
		known bool
	}{{Counts{Tokens: 1, CostUSD: 1}, true}, {Counts{Unpriced: true}, true}, {Counts{Tokens: 1, Unpriced: true}, false}} {
		if got := measure(test.Counts, "", 0).Cost.Known; got != test.known {
			t.Errorf("%+v: known: %v", test.Counts, got)
		}
	}
}

func TestTook(t *testing.T) {
	tests := map[time.Duration]string{
		0:                       "0.0s",
		1234 * time.Millisecond: "1.2s",
		10 * time.Second:        "10s",
		59 * time.Second:        "59s",
		61 * time.Second:        "1m01s",
		time.Hour + time.Minute: "1h01m",
		26 * time.Hour:          "26h00m",
	}
	for d, want := range tests {
		if got := Took(d); got != want {
			t.Errorf("Took(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestCall(t *testing.T) {
	tests := []struct{ tool, input, want string }{
		{"read", `{"filePath": "README.md", "limit": 5}`, "read README.md"},
		{"bash", `{"command": "a\nb", "description": "x"}`, `bash a\nb`},
		{"grep", `{"pattern": "x+", "path": "src"}`, "grep x+"},
		{"custom", `{"a": 1}`, `custom {"a":1}`},
		{"list", `{}`, "list"},
		{"read", `"no object"`, `read "no object"`},
		{"we\x1bird", `{"filePath"`, `we\x1bird {"filePath"`},
		{"read", `{"filePath": 7}`, `read {"filePath":7}`},
	}
	for _, tt := range tests {
		if got := Call(tt.tool, json.RawMessage(tt.input)); got != tt.want {
			t.Errorf("Call(%q, %s) = %q, want %q", tt.tool, tt.input, got, tt.want)
		}
	}
	long := Call("bash", json.RawMessage(`{"command": "`+strings.Repeat("x", 5000)+`"}`))
	if len(long) > 150 {
		t.Errorf("%d bytes for one call", len(long))
	}
}

// What was answered by what was kept is counted once: its events say so, and then the
// result of its step, also where that is of earlier processes.
func TestKeptAnswersAreCountedOnce(t *testing.T) {
	r, saved := new(Run), 0.5
	event := func(kind steps.EventType) runner.Event {
		return runner.Event{Step: "a", StepKind: string(workflows.KindPrompt), Event: steps.Event{Type: kind}}
	}
	r.Take(event(runner.StepStarted))
	turn := event(steps.TurnFinished)
	turn.Cached, turn.Saved = true, &saved
	r.Take(turn)
	ended := event(runner.StepFinished)
	ended.Came = &Counts{Turns: 3, Cached: 2, SavedUSD: 0.75}
	r.Take(ended)
	if got, want := r.String(), "3 turns, 2 cached ($0.75 saved)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
