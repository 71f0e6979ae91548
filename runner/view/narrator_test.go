package view

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

var update = flag.Bool("update", false, "write the golden files anew")

// story is a run with something of everything in it.
func story() []runner.Event {
	began := time.Date(2026, 11, 21, 3, 15, 22, 0, time.UTC)
	at := func(i int) *int { return &i }
	cost := 0.0123
	usage := &providers.Usage{InputTokens: 1000, OutputTokens: 200}
	return []runner.Event{
		{Workflow: "docs\x1b[2J", RunID: "r1", Event: steps.Event{Type: runner.RunStarted}},
		{Step: "packages", StepKind: "run", Event: steps.Event{Type: runner.StepStarted}, Time: began},
		{Step: "packages", Status: steps.Succeeded, Elapsed: 400 * time.Millisecond, Event: steps.Event{Type: runner.StepFinished}},
		{Step: "pages", Items: at(2), Event: steps.Event{Type: runner.StepStarted}, Time: began},
		{Step: "pages", Index: at(0), Item: "src/a.go\nfirst", Event: steps.Event{Type: runner.StepStarted}, Time: began},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.TurnStarted, Turn: 1}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.Retry, Turn: 1, Attempt: 1, Wait: 2 * time.Second, Error: "slow down\n::error::x (HTTP 429)"}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.TurnFinished, Turn: 1, Usage: usage, Cost: &cost}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.CallRunning, Tool: "read", Input: []byte(`{"filePath": "a.go"}`)}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.CallFinished, Tool: "read", Input: []byte(`{"filePath": "a.go"}`), Status: tools.Succeeded, Truncated: true}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.CallFinished, Tool: "write", Input: []byte(`{"filePath": "src/a"}`), Status: tools.Denied, Rule: "write: src/**"}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.CallFinished, Tool: "bash", Input: []byte(`{"command": "x"}`), Status: tools.Denied, Error: "no bash rule allows it"}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.CallFinished, Tool: "edit", Input: []byte(`{"filePath": "b"}`), Status: tools.Failed, Error: "oldString is not there"}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.Warning, Message: "openai/b is asked instead", Error: "overloaded"}},
		{Step: "pages", Index: at(0), Status: steps.Succeeded, Elapsed: 61 * time.Second, Event: steps.Event{Type: runner.StepFinished}},
		{Step: "pages", Index: at(1), Event: steps.Event{Type: runner.StepStarted}, Time: began},
		{Step: "pages", Index: at(1), Event: steps.Event{Type: steps.TurnFinished, Turn: 1, Usage: usage}},
		{
			Step: "pages", Index: at(1), Status: steps.Stopped, Reason: steps.ReasonMaxTurns, Elapsed: time.Second,
			Failure: &steps.Error{Kind: steps.KindLimit, Message: "max_turns: 3", Hint: "raise stop.max_turns"},
			Event:   steps.Event{Type: runner.StepFinished},
		},
		{
			Step: "pages", Status: steps.Failed, Elapsed: 62 * time.Second,
			Failure: &steps.Error{Message: "1 element failed"}, Event: steps.Event{Type: runner.StepFinished},
		},
		{Step: "loop/inner", Place: "loop/2/inner/0", Round: 2, Event: steps.Event{Type: runner.StepStarted}},
		{
			Step: "build", Status: steps.Failed, Elapsed: time.Second,
			Failure: &steps.Error{Message: "exit status 3\n" + strings.Repeat("a line\n", 20)}, Event: steps.Event{Type: runner.StepFinished},
		},
		{Step: "index", Status: steps.Skipped, Event: steps.Event{Type: runner.StepFinished}},
		{Event: steps.Event{Type: steps.Warning, Message: `MCP server "docs": does not start`}},
		{Step: "late", Items: at(3), Event: steps.Event{Type: runner.StepStarted}, Time: began},
		{
			Step: "late", Index: at(0), Status: steps.Cancelled, Elapsed: time.Second,
			Failure: &steps.Error{Kind: steps.KindCancelled, Message: "interrupted by SIGINT"}, Event: steps.Event{Type: runner.StepFinished},
		},
		{Step: "late", Status: steps.Cancelled, Elapsed: time.Second, Event: steps.Event{Type: runner.StepFinished}},
		{Status: steps.Failed, Event: steps.Event{Type: runner.RunFinished}},
	}
}

func TestNarrator(t *testing.T) {
	tones := []string{"plain", "faint", "good", "doubtful", "bad"}
	for name, show := range map[string]func(Line) string{
		"plain": Line.String,
		"tones": func(l Line) string {
			return l.Painted(func(tone Tone, word string) string { return fmt.Sprintf("<%s %s>", tones[tone], word) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			n := NewNarrator()
			for _, e := range story() {
				for _, line := range n.Lines(e) {
					fmt.Fprintln(&out, show(line))
				}
			}
			golden(t, filepath.Join("testdata", name+".txt"), out.String())
			if c := n.Counts; c.Turns != 2 || c.Calls != 4 || c.Denied != 2 || c.Truncated != 1 || c.Tokens != 2400 || !c.Unpriced {
				t.Errorf("counted %+v", c)
			}
			if len(n.Running()) != 1 { // loop/2/inner/0 never ends
				t.Errorf("running: %d", len(n.Running()))
			}
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
