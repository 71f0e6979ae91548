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

	"github.com/a-seed-11b9befa/flow/internal/term"
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
		{Step: "pages", Index: at(0), Label: "src/a.go\nfirst", Event: steps.Event{Type: runner.StepStarted}, Time: began},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.TurnStarted, Turn: 1}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.Retry, Turn: 1, Attempt: 1, Wait: 2 * time.Second, Error: "slow down\n::error::x (HTTP 429)"}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.TurnFinished, Turn: 1, Usage: usage, Cost: &cost}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.CallRunning, Tool: "read", Input: []byte(`{"filePath": "a.go"}`)}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.CallFinished, Tool: "read", Input: []byte(`{"filePath": "a.go"}`), Status: tools.Succeeded, Truncated: true}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.CallFinished, Tool: "write", Input: []byte(`{"filePath": "src/a"}`), Status: tools.Denied, Rule: "write: src/**"}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.CallFinished, Tool: "bash", Input: []byte(`{"command": "x"}`), Status: tools.Denied, Error: "no bash rule allows it"}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.CallFinished, Tool: "edit", Input: []byte(`{"filePath": "b"}`), Status: tools.Failed, Error: "oldString does not exist"}},
		{Step: "pages", Index: at(0), Event: steps.Event{Type: steps.Warning, Message: "falling back to openai/b", Error: "overloaded"}},
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
		{Unit: address("loop[2]/inner#2"), Step: "loop/inner", Round: 2, Event: steps.Event{Type: runner.StepStarted}},
		{
			Step: "build", Status: steps.Failed, Elapsed: time.Second,
			Failure: &steps.Error{Message: "exit status 3\n" + strings.Repeat("a line\n", 20)}, Event: steps.Event{Type: runner.StepFinished},
		},
		{Step: "index", Status: steps.Skipped, Event: steps.Event{Type: runner.StepFinished}},
		{Event: steps.Event{Type: steps.Warning, Message: `MCP server "docs" does not start`}},
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
	toned := func(l Line) string {
		return l.Painted(func(tone term.Tone, word string) string { return fmt.Sprintf("<%s %s>", tones[tone], word) })
	}
	for name, tt := range map[string]struct {
		detail Detail
		show   func(Line) string
	}{
		"usual": {Usual, Line.String}, "tones": {All, toned}, "failures": {Failures, Line.String},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			n := new(Narrator)
			n.Detail = tt.detail
			for _, e := range story() {
				for _, line := range n.Lines(e) {
					fmt.Fprintln(&out, tt.show(line))
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

// TestProgressOfElements: in a log how far they are is told every 30 seconds. What fails is told, its
// hint once, and what else happens to many of them of the first one.
func TestProgressOfElements(t *testing.T) {
	began, forty := time.Date(2026, 11, 21, 3, 15, 22, 0, time.UTC), 40
	n := new(Narrator)
	var told []string
	take := func(after time.Duration, e runner.Event) {
		e.Step, e.Time = "pages", began.Add(after)
		for _, line := range n.Lines(e) {
			told = append(told, line.String())
		}
	}
	element := func(i int, kind steps.EventType) runner.Event {
		return runner.Event{Index: &i, Label: fmt.Sprintf("src/%d.go", i), Event: steps.Event{Type: kind}}
	}
	n.Lines(runner.Event{Time: began, Event: steps.Event{Type: runner.RunStarted}})
	take(0, runner.Event{Items: &forty, Event: steps.Event{Type: runner.StepStarted}})
	for i := range forty {
		take(time.Duration(i)*4*time.Second, element(i, runner.StepStarted))
		retry := element(i, steps.Retry)
		busy := &providers.Error{Status: 429, Message: fmt.Sprintf("slow down for %d s", i)}
		retry.Turn, retry.Event.Error = 1, busy.Error() // which counts, and so differs each time
		take(time.Duration(i)*4*time.Second, retry)
		warned := element(i, steps.Warning)
		warned.Turn, warned.Message = 1, fmt.Sprintf("it counted %d tokens", i)
		take(time.Duration(i)*4*time.Second, warned)
		denied := deniedIn("pages", i, fmt.Sprintf("page %d.html", i))
		denied.Rule = "read: *.html"
		take(time.Duration(i)*4*time.Second, denied)
		if i < 8 {
			continue
		}
		e := element(i-8, runner.StepFinished)
		e.Status = steps.Succeeded
		if i%16 == 0 || i > 24 {
			e.Status, e.Failure = steps.Failed, &steps.Error{Kind: steps.KindCommand, Message: "exit status 3", Hint: "see why"}
		}
		take(time.Duration(i)*4*time.Second, e)
	}
	golden(t, filepath.Join("testdata", "elements.txt"), strings.Join(told, "\n")+"\n")
	if at := n.Running()[0]; at.Elements.Running != 8 || at.Elements.Ended != 32 {
		t.Errorf("%+v", at.Elements)
	}
}

// An element that was skipped has not failed. What earlier processes have done says
// nothing of the time that is left, and a log says nothing more of how far a foreach is
// once all of it has ended.
func TestElementsOfEarlierProcesses(t *testing.T) {
	began, ten := time.Date(2026, 11, 21, 3, 15, 22, 0, time.UTC), 10
	var u Unit
	u.begin(runner.Event{Items: &ten, Time: began, Earlier: runner.ElementCounts{Succeeded: 5}})
	for _, status := range []steps.Status{steps.Skipped, steps.Succeeded} {
		u.Elements.end(runner.Event{Status: status})
	}
	if got, want := listed(u.Elements.Progress(began.Add(time.Minute))...), "7 of 10, 2.0/min, about 2 min left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTimeLeft(t *testing.T) {
	began := time.Date(2026, 11, 21, 3, 15, 22, 0, time.UTC)
	tests := []struct {
		ended, of int
		after     time.Duration
		want      string
	}{
		{0, 40, time.Minute, "0 of 40"},
		{1, 40, time.Minute, "1 of 40"},
		{12, 40, 4 * time.Second, "12 of 40"},
		{12, 40, 80 * time.Second, "12 of 40, 9.0/min, about 3 min left"},
		{39, 40, time.Minute, "39 of 40, 39/min, about 10 s left"},
		{20, 40, 31 * time.Second, "20 of 40, 39/min, about 40 s left"},
		{20, 1000, time.Hour, "20 of 1,000, 0.3/min, about 49 h left"},
		{40, 40, time.Hour, "40 of 40, 0.7/min"},
	}
	for _, tt := range tests {
		n := Elements{Of: tt.of, Ended: tt.ended, began: began}
		if got := listed(n.Progress(began.Add(tt.after))...); got != tt.want {
			t.Errorf("%d of %d after %v: %q, want %q", tt.ended, tt.of, tt.after, got, tt.want)
		}
	}
}
